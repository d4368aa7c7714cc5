import type { Spoil } from '#sim/server/faults.ts'
import type { Ask, Instant, Reply } from '#sim/server/reply.ts'

import { createHosts as createLimitless, hostUrls as limitlessUrls } from './limitless_wire/hosts.ts'
import { createHosts as createPolymarket, hostUrls as polymarketUrls } from './polymarket_wire/hosts.ts'
import type { World } from './types.ts'

export type Answer = (ask: Ask, at: Instant) => Reply

/** The hosts of a venue over a world. */
export type Venue = {
  /** The addresses of the hosts below a server, by the names that the sources use. */
  urls: (url: string) => Record<string, string>
  /** The answers of the hosts, by the first folder of their addresses. */
  create: (world: World, options: { dataApi: 'v2' | 'v1'; spoil: Spoil }) => Record<string, Answer>
}

export type VenueName = 'polymarket' | 'kalshi' | 'limitless'

/** The simulated venues. A new one is a folder and a line here. */
export const venues: Partial<Record<VenueName, Venue>> = {
  polymarket: {
    urls: polymarketUrls,
    create: (world, { dataApi, spoil }) => createPolymarket(world, dataApi, spoil),
  },
  limitless: { urls: limitlessUrls, create: (world, { spoil }) => createLimitless(world, spoil) },
}

/** A world for each venue that is served. */
export type Worlds = Partial<Record<VenueName, World>>
