import type { Damages, Spoil } from '#sim/server/faults.ts'
import type { Feed } from '#sim/server/push.ts'
import type { Ask, Instant, Reply } from '#sim/server/reply.ts'

import type { World } from './types.ts'

export type Answer = (ask: Ask, at: Instant) => Reply

/** The published or measured limit of the routes of a host, for one address. `host` is the first folder of its address. */
export type Limit = { host: string; route: RegExp; perTenSeconds: number }

/** The hosts of a venue over a world. */
export type SimulatedVenue = {
  /** The addresses of the hosts below a server, by the names that the sources use. */
  urls: (url: string) => Record<string, string>
  /** The pushed feeds, by the first folder of their addresses. */
  feeds?: (world: World) => Record<string, Feed>
  /** The answers of the hosts, by the first folder of their addresses. */
  create: (world: World, options: { dataApi: 'v2' | 'v1'; spoil: Spoil }) => Record<string, Answer>
  /** The ways in which its rows are damaged. */
  damages: Damages
  /** A request counts against every matching limit. */
  limits: readonly Limit[]
  /** The response to too many requests; by default one that names a time, or that of the gateway before the venue. */
  refusal?: Reply
}
