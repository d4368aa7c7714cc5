import type { Accounts } from '#accounts/accounts.ts'
import type { ReadEndpointAs } from '#api/chat/answering/readers.ts'
import { parseQuery } from '#api/contract/input.ts'
import type { PublicSources } from '#api/http/answer_public.ts'
import type { ResponseCache } from '#api/http/cache.ts'
import type { Clock } from '#time.ts'

/**
 * Reads an endpoint inside the process as a request of the caller would: the same parsing, snapshot, cache and text.
 * The tier is checked before.
 */
export function openReadAs(services: {
  cache: ResponseCache
  accounts: Accounts
  sources: PublicSources
  now: Clock
}): ReadEndpointAs {
  const { cache, accounts, sources, now } = services
  return async (endpoint, query, { caller, rate, asking }) => {
    const search = new URLSearchParams(query).toString()
    if (endpoint.kind === 'private') {
      const context = {
        caller,
        accounts,
        rate,
        now: now(),
        scores: sources.marts.current('scores'),
        marts: sources.marts,
      }
      const { body } = await endpoint.read(parseQuery(endpoint.parameters, search), context)
      return { body, asOf: null, coverage: null, next: null }
    }
    if (endpoint.method !== 'GET') throw new Error(`${endpoint.name}: no read; expected a GET endpoint`)
    const url = `/v1${endpoint.path}${search && `?${search}`}`
    const key = { url, accept: 'application/json', acceptEncoding: undefined, tier: caller.tier }
    const answer = await cache.answer(endpoint, key, asking)
    const { body, snapshot, parts } = answer
    const header = (name: string) => parts.shared[parts.shared.indexOf(name) + 1] ?? ''
    const has = (name: string) => parts.shared.includes(name)
    return {
      body: JSON.parse(body.toString()) as unknown,
      asOf: snapshot.asOf,
      coverage: has('X-Coverage') ? header('X-Coverage') : null,
      next: has('Link') ? (/[?&]cursor=([\w-]+)/.exec(header('Link'))?.[1] ?? null) : null,
    }
  }
}
