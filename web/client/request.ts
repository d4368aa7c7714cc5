import * as z from 'zod/mini'

// Compiled schemas need `eval`, which the content security policy of the pages forbids.
z.config({ jitless: true })

/** A request that the service refused, with its error code and message, or that failed on the way (`unreachable`). */
export class RequestError extends Error {
  override name = 'RequestError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export type Ask = { method?: 'GET' | 'POST' | 'DELETE'; accept?: string; body?: object; token?: string }

/** Sends a request to this service and parses its answer. `path` is relative to the page. */
export async function request<T>(path: string, shape: z.ZodMiniType<T>, ask: Ask = {}): Promise<T> {
  return shape.parse(JSON.parse((await requestText(path, ask)).text))
}

/** The text and the headers of an answer to a request that was not refused. */
export async function requestText(path: string, ask: Ask): Promise<{ text: string; headers: Headers }> {
  const { method = 'GET', accept = 'application/json', body, token } = ask
  const headers: Record<string, string> = { accept }
  if (method === 'POST') headers['content-type'] = 'application/json'
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`
  const sent = { method, headers, ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }) }
  const answer = await answerOf(path, sent).catch((cause: unknown) => {
    throw new RequestError('unreachable', `The service does not answer: ${String(cause)}`)
  })
  if (answer.ok) return answer
  throw refusalOf(answer.status, answer.text)
}

/** A whole answer: the connection may end within its body too. */
async function answerOf(path: string, sent: RequestInit) {
  const response = await fetch(path, sent)
  return { ok: response.ok, status: response.status, headers: response.headers, text: await response.text() }
}

/** Whether a request was refused for want of a session or a valid token. */
export const isSignedOut = (error: unknown): boolean => error instanceof RequestError && error.code === 'unauthorized'

let n_staying = 0

/** Keeps the page when the session ends, since it shows what cannot be read again. Returns the end of that. */
export function stayOnPage(): () => void {
  n_staying++
  return () => void n_staying--
}

/**
 * A request of a signed-in page. Without a session it rejects, and the page for signing in follows unless this stays. That
 * page leads back with the fragment, which may be the token of a link in a mail.
 */
export async function requestSignedIn<T>(path: string, shape: z.ZodMiniType<T>, ask: Ask = {}): Promise<T> {
  try {
    return await request(path, shape, ask)
  } catch (error) {
    if (isSignedOut(error) && n_staying === 0) location.replace(`sign-in${location.hash}`)
    throw error
  }
}

const refusalShape = z.object({ error: z.string(), message: z.string() })

/** A proxy in front of the service may answer in another form. */
const refusalOf = (status: number, text: string): RequestError => {
  const parsed = refusalShape.safeParse(parsedOrNull(text))
  if (parsed.success) return new RequestError(parsed.data.error, parsed.data.message)
  return new RequestError('unreachable', `The service answered with the status ${status}. Try again later.`)
}

const parsedOrNull = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
