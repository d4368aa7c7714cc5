import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { Clock } from '#lake/clock.ts'

import type { World } from './types.ts'
import { createClob } from './wire/clob.ts'
import { createDataV1 } from './wire/data_v1.ts'
import { createData } from './wire/data.ts'
import { createGamma } from './wire/gamma.ts'
import type { Ask, Instant, Reply } from './wire/reply.ts'
import { createShelves } from './wire/shelves.ts'

export type ServeOptions = {
  world: World
  clock: Clock
  /** Default: any that is free. */
  port?: number
  /** `v1`: every `/v2` route answers 404 and the old routes answer; `v2`: the other way round. */
  dataApi?: 'v2' | 'v1'
  /** Seconds after which a row of the data feeds becomes visible. */
  lag_s?: number
}

export type Counts = { total: number; byRoute: Record<string, number>; byStatus: Record<string, number> }

export type ServedWorld = {
  url: string
  gammaUrl: string
  dataUrl: string
  clobUrl: string
  /** Requests so far. A route is `host /path`, ids replaced by `:id`. */
  requests: () => Counts
  close: () => Promise<void>
}

type Host = (ask: Ask, at: Instant) => Reply

/** Serves what has happened by the clock, as the venue's three hosts would, on the loopback interface. */
export async function serveWorld(options: ServeOptions): Promise<ServedWorld> {
  const { world, clock, port = 0, dataApi = 'v2', lag_s = 0 } = options
  const shelves = createShelves(world)
  const data = dataApi === 'v2' ? createData(world, shelves) : createDataV1(world, shelves)
  const hosts: Record<string, Host> = { gamma: createGamma(world, shelves), data, clob: createClob(world, shelves) }
  const counts: Counts = { total: 0, byRoute: {}, byStatus: {} }

  const server = createServer((request, response) => {
    const { host, ask } = read(request)
    const now_s = Math.floor(clock() / 1_000_000)
    const reply = hosts[host]?.(ask, { now_s, seen_s: now_s - lag_s }) ?? { status: 404, body: '{"error":"not found"}' }
    count(`${host} ${ask.path.replaceAll(/\/(0x[0-9a-fA-F]+|\d+)$/g, '/:id')}`, reply.status)
    write(response, reply)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    gammaUrl: `${url}/gamma`,
    dataUrl: `${url}/data`,
    clobUrl: `${url}/clob`,
    requests: () => structuredClone(counts),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      }),
  }

  function count(route: string, status: number): void {
    counts.total++
    counts.byRoute[route] = (counts.byRoute[route] ?? 0) + 1
    counts.byStatus[status] = (counts.byStatus[status] ?? 0) + 1
  }

  function write(response: ServerResponse, { status, body, headers }: Reply): void {
    const type = body.startsWith('<') ? 'text/html' : 'application/json'
    response.writeHead(status, { 'content-type': type, 'x-simulated-world': String(world.seed), ...headers })
    response.end(body)
  }
}

function read(request: IncomingMessage): { host: string; ask: Ask } {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const [, host = '', ...rest] = url.pathname.split('/')
  return { host, ask: { path: `/${rest.join('/')}`, query: url.searchParams } }
}
