import type { SimulatedWorld } from '#bin/wiring/simulated_hosts.ts'
import type { Worlds } from '#sim/markets/venues.ts'
import type { Ask, Reply } from '#sim/server/reply.ts'
import { servedVenues } from '#sim/server/served_venues.ts'
import type { Clock } from '#time.ts'

/** Changes an answer of a host. */
export type Drift = (ask: Ask & { host: string }, reply: Reply) => Reply

/** The hosts of simulated venues in memory, whose answers drift as long as `drift` says so. */
export type DriftingUpstream = SimulatedWorld & {
  fetch: typeof fetch
  drift: (by: Drift | null) => void
  /** The number of requests so far. */
  requests: () => number
}

const notFound: Reply = { status: 404, body: '{"error":"not found"}' }

/** `mostRows`: a larger limit is reduced silently to it, so that small worlds have several pages. */
export function openUpstream(worlds: Worlds, clock: Clock, { mostRows = Infinity } = {}): DriftingUpstream {
  const served = servedVenues(worlds, { dataApi: 'v2', faults: {} })
  const [first] = Object.values(worlds)
  const worldName = String(first?.seed)
  let by: Drift | null = null
  let n_requests = 0
  return {
    worldName,
    hosts: served.urls('http://127.0.0.1:9'),
    drift: (next) => {
      by = next
    },
    requests: () => n_requests,
    fetch: async (input, init) => {
      n_requests += 1
      const url = new URL(input instanceof Request ? input.url : input)
      const [, host = '', ...rest] = url.pathname.split('/')
      if (Number(url.searchParams.get('limit') ?? 0) > mostRows) url.searchParams.set('limit', String(mostRows))
      const userAgent = new Headers(init?.headers).get('user-agent') ?? undefined
      const ask = { host, path: `/${rest.join('/')}`, query: url.searchParams, userAgent }
      const now_s = Math.floor(clock() / 1_000_000)
      const reply = served.answers.get(host)?.(ask, { now_s, seen_s: now_s }) ?? notFound
      const { status, body, headers } = by?.(ask, reply) ?? reply
      const type = body.startsWith('<') ? 'text/html' : 'application/json'
      return new Response(body, {
        status,
        headers: { 'content-type': type, 'x-simulated-world': worldName, ...headers },
      })
    },
  }
}

/** Whether a path is that of a route, in which `*` stands for any folder. */
const isOn = (route: string, path: string): boolean => {
  const [wanted, given] = [route.split('/'), path.split('/')]
  return wanted.length === given.length && wanted.every((folder, n) => folder === '*' || folder === given[n])
}

/** Changes the body of the answers of a route, parsed from JSON. Other answers stay as they are. */
export const onRoute =
  (path: string, change: (body: Record<string, unknown>, ask: Ask & { host: string }) => unknown): Drift =>
  (ask, reply) =>
    isOn(path, ask.path) && reply.status === 200
      ? { ...reply, body: JSON.stringify(change(JSON.parse(reply.body) as Record<string, unknown>, ask)) }
      : reply

/** Answers a route with a status and a body. */
export const answering =
  (path: string, status: number, body: string): Drift =>
  (ask, reply) =>
    isOn(path, ask.path) ? { status, body } : reply
