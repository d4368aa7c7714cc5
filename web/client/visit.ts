import * as z from 'zod/mini'

import { isSignedOut, request, RequestError, requestText } from './request.ts'

const visit = z.object({
  token: z.nullable(z.string()),
  account: z.nullable(z.object({ tier: z.string(), endpoints: z.array(z.string()) })),
})

/** The tier of a signed-in person and its endpoints; null of a visitor. */
export type Account = z.output<typeof visit>['account']

const minted = z.object({ token: z.string() })

let begun: Promise<z.output<typeof visit>> | null = null
let accountToken: Promise<string> | null = null

const visitNow = () => (begun ??= request('api/visit', visit, { method: 'POST' }))

/** Whether the person of this page is signed in, and with which tier. */
export const readAccount = async (): Promise<Account> => (await visitNow()).account

/**
 * The token of this page for an endpoint: that of the account if its tier includes the endpoint, else that of a visitor.
 * Rejects with `sign_in` if the installation has no visitors.
 */
export async function tokenFor(endpoint: string): Promise<string> {
  const { token, account } = await visitNow()
  if (account?.endpoints.includes(endpoint))
    return (accountToken ??= request('api/token', minted, { method: 'POST' }).then((answer) => answer.token))
  if (token !== null) return token
  throw new RequestError('sign_in', account === null ? 'Sign in to see this.' : 'Your tier does not include this.')
}

/** Forgets the tokens of this page, after one has expired. */
export function forgetTokens(): void {
  begun = null
  accountToken = null
}

/** A page of a list, or an object: the instant of its figures, the rows of all pages, and the path of the next page. */
export type Answer<T> = { body: T; asOf: string | null; total: number; next: string | null; coverage: string | null }

/** Reads `/v1`. An expired token is replaced once. `path` begins after `/v1`. */
export async function readFigures<T>(path: string, shape: z.ZodMiniType<T>): Promise<Answer<T>> {
  const { text, headers } = await readText(path, 'application/json')
  return {
    body: shape.parse(JSON.parse(text)),
    asOf: headers.get('x-data-as-of'),
    total: Number(headers.get('x-total-count') ?? 0),
    next: nextOf(headers),
    coverage: headers.get('x-coverage'),
  }
}

/** All pages of a list as one CSV. */
export async function readCsv(path: string): Promise<string> {
  const parts: string[] = []
  for (let next: string | null = path; next !== null;) {
    const { text, headers } = await readText(next, 'text/csv')
    // Every page begins with the names of the columns.
    parts.push(parts.length === 0 ? text : text.slice(text.indexOf('\n') + 1))
    next = nextOf(headers)
  }
  return parts.join('')
}

async function readText(path: string, accept: string): Promise<{ text: string; headers: Headers }> {
  const endpoint = `GET ${path.replace(/\?.*/, '')}`
  const ask = async () => requestText(`v1${path}`, { accept, token: await tokenFor(endpoint) })
  try {
    return await ask()
  } catch (error) {
    if (!isSignedOut(error)) throw error
    forgetTokens()
    return ask()
  }
}

/** The path of the next page after `/v1`, of the `Link` header. */
const nextOf = (headers: Headers): string | null =>
  /<[^>]*?\/v1(\/[^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null
