import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import type { World } from '#sim/markets/types.ts'
import { mainVenue, type OtherWorlds } from '#sim/markets/venues.ts'
import type { Clock } from '#time.ts'

import { createCache } from './cache.ts'
import { createMisfortune, failure, type FaultKind, type Faults, type RowKind } from './faults.ts'
import { servePush, type PushFaults } from './push.ts'
import { createLimiter } from './rate_limits.ts'
import type { Ask, Reply } from './reply.ts'
import { servedVenues } from './served_venues.ts'

export type ServeOptions = {
  /** The world of the main venue, whose seed is the name of all. */
  world: World
  /** The worlds of other venues; a venue without a world is not served. */
  others?: OtherWorlds
  clock: Clock
  /** Default: any free port. */
  port?: number
  /** `v1`: the `/v2` routes return 404 and the old routes work; `v2`: the reverse. */
  dataApi?: 'v2' | 'v1'
  faults?: Faults | undefined
  /** `polite`: the venue's limits apply, with 429s. Default: no limits. */
  limits?: 'lifted' | 'polite'
  /** The delay in seconds before a row of the data feeds is visible. */
  lag_s?: number
  /** `stale`: pages of trades are copies of up to five minutes, with holes. Default: no cache. */
  cache?: 'stale' | 'none'
  /** The faults of pushed feeds. */
  push?: PushFaults
  /** The clock of polite limits. Default: the time since this process began. */
  machine?: Clock
}

export type Counts = {
  total: number
  /** By `host /path`, with ids replaced by `:id`. */
  byRoute: Record<string, number>
  byStatus: Record<string, number>
  /** The served rows that do not parse, each counted once. */
  spoiled: Record<RowKind, number>
}

export type ServedWorld = {
  url: string
  /** The addresses of the simulated hosts, by name. */
  hosts: Record<string, string>
  /** The name of the world, which the headers of responses contain. */
  worldName: string
  /** The number of requests. */
  requests: () => Counts
  close: () => Promise<void>
}

/** Serves the events up to the clock, like the hosts of the venues, on the loopback interface. */
export async function serveWorld(options: ServeOptions): Promise<ServedWorld> {
  const { world, clock, port = 0, dataApi = 'v2', faults = {}, limits = 'lifted', lag_s = 0 } = options
  const { machine = () => Math.round(performance.now() * 1000) } = options
  const served = servedVenues({ ...options.others, [mainVenue]: world }, { dataApi, faults })
  const misfortune = createMisfortune(faults)
  const limiter = limits === 'polite' ? createLimiter(served.limits, machine) : () => undefined
  const cached = options.cache === 'stale' ? createCache(clock) : (_url: string, reply: () => Reply) => reply()
  const worldName = String(world.seed)
  const counts = { total: 0, byRoute: {} as Record<string, number>, byStatus: {} as Record<string, number> }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  // Longer than clients reuse a connection, so that no connection is closed during a request.
  server.keepAliveTimeout = 60_000
  const endPush = servePush(server, { feeds: served.feeds, clock, faults: options.push ?? {} })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    hosts: served.urls(url),
    worldName,
    requests: () => structuredClone({ ...counts, spoiled: served.spoiled() }),
    close: () =>
      new Promise((resolve, reject) => {
        endPush()
        server.close((error) => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      }),
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host, ask } = read(request)
    const { kind, delay_ms } = misfortune(request.url ?? '')
    const now_s = Math.floor(clock() / 1_000_000)
    const reply =
      tooLong(request.url ?? '') ??
      limiter(host, ask.path) ??
      (kind === null ? undefined : failure(kind)) ??
      cached(request.url ?? '', () => served.answers.get(host)?.(ask, { now_s, seen_s: now_s - lag_s }) ?? notFound)
    count(`${host} ${ask.path.replaceAll(/\/(0x[0-9a-fA-F]+|\d+)$/g, '/:id')}`, reply.status)
    if (delay_ms > 0) await sleep(delay_ms)
    await send(response, { ...reply, headers: { 'x-simulated-world': worldName, ...reply.headers } }, kind)
  }

  function count(route: string, status: number): void {
    counts.total++
    counts.byRoute[route] = (counts.byRoute[route] ?? 0) + 1
    counts.byStatus[status] = (counts.byStatus[status] ?? 0) + 1
  }
}

const notFound: Reply = { status: 404, body: '{"error":"not found"}' }

/** Sends a response, or the part that a fault leaves. */
async function send(
  response: ServerResponse,
  { status, body, headers }: Reply,
  fault: FaultKind | null,
): Promise<void> {
  const type = body.startsWith('<') ? 'text/html' : 'application/json'
  response.writeHead(status, { 'content-type': type, ...headers })
  const half = Math.floor(body.length / 2)
  if (status !== 200 || fault === null) response.end(body)
  else if (fault === 'truncated') response.end(body.slice(0, half))
  else {
    response.write(body.slice(0, half))
    await sleep(30)
    if (fault === 'reset') response.destroy()
    else response.end(body.slice(half))
  }
}

/** Gateways reject URLs beyond 8 KB, which lists of ids easily reach. */
const tooLong = (url: string): Reply | undefined =>
  url.length > 8192 ? { status: 414, body: '{"error":"URI too long"}' } : undefined

function read(request: IncomingMessage): { host: string; ask: Ask } {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const [, host = '', ...rest] = url.pathname.split('/')
  const userAgent = request.headers['user-agent']
  return { host, ask: { path: `/${rest.join('/')}`, query: url.searchParams, userAgent } }
}
