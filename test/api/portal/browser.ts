import { pagesUrl, type Reply, type Service } from '#test/api/service.ts'

/** A browser with our pages: its requests, and its cookies. */
export type Browser = {
  get: (path: string) => Promise<Reply>
  post: (path: string, body?: object) => Promise<Reply>
  delete: (path: string) => Promise<Reply>
  /** The `Cookie` header. */
  cookie: () => string
}

export const password = 'correct horse'

/** A browser that sends the headers of a page of the service. */
export function openBrowser(service: Pick<Service, 'ask'>): Browser {
  const jar = new Map<string, string>()
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const send = async (method: string, path: string, body?: object) => {
    const headers = { cookie: cookie(), origin: pagesUrl, 'sec-fetch-site': 'same-origin', authorization: '' }
    const json = body && { body: JSON.stringify(body) }
    const type = method === 'POST' ? { 'content-type': 'application/json' } : {}
    const reply = await service.ask(path, { method, headers: { ...headers, ...type }, ...json })
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return reply
  }
  return {
    get: (path) => send('GET', path),
    post: (path, body = {}) => send('POST', path, body),
    delete: (path) => send('DELETE', path),
    cookie,
  }
}

/** A browser whose person has signed up. */
export async function signedUp(service: Service, email: string): Promise<Browser> {
  const browser = openBrowser(service)
  const { status, text } = await browser.post('/api/auth/sign-up/email', { email, password })
  if (status !== 201) throw new Error(`sign-up: status ${status}, ${text}; expected 201`)
  return browser
}
