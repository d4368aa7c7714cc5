import { param, whole, type Reply } from '#sim/server/reply.ts'

/** A request that the venue rejects. */
export class Rejected extends Error {
  status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The venue's answer to a rejected request. */
export const refuse = ({ status, message }: Rejected): Reply => ({
  status,
  body: JSON.stringify({ statusCode: status, message, error: status === 404 ? 'Not Found' : 'Bad Request' }),
})

/** The default of a library, or none. The edge rejects these before the venue sees them. */
const isDefaultAgent = (agent: string): boolean =>
  agent === '' || /^(python|node|undici|axios|curl|wget|go-http|java|okhttp)/i.test(agent)

/** The answer of the edge to a client without an ordinary user agent. */
export const atEdge = (agent: string): Reply | undefined =>
  isDefaultAgent(agent) ? { status: 403, body: 'error code: 1010' } : undefined

/** A page from 1 on. */
export const pageOf = (query: URLSearchParams): number => positive(query, 'page', 1)

/** A limit of at most 100 rows; more is rejected. */
export function limitOf(query: URLSearchParams): number {
  const limit = positive(query, 'limit', 10)
  if (limit > 100) throw new Rejected(400, 'limit must not be greater than 100')
  return limit
}

export function positive(query: URLSearchParams, name: string, standard: number): number {
  const value = whole(param(query, name)) ?? standard
  if (Number.isNaN(value) || value < 1) throw new Rejected(400, `${name} must be a positive number`)
  return value
}

/** An address in the path, in any case. */
export function accountOf(text: string): string {
  const account = text.toLowerCase()
  if (!/^0x[0-9a-f]{40}$/.test(account)) throw new Rejected(400, 'account must be an Ethereum address')
  return account
}

/**
 * The instant of a cached response: `fresh_s` seconds old at most, and as stale again while it is renewed. Which of the
 * two depends on the entry.
 */
export const cachedAt = (now_s: number, fresh_s: number, entry: number): number =>
  now_s - (now_s % fresh_s) - (entry % 2) * fresh_s
