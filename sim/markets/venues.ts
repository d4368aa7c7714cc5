import { mix } from '#sim/random.ts'
import type { Damages, Spoil } from '#sim/server/faults.ts'
import type { Feed } from '#sim/server/push.ts'
import type { Ask, Instant, Reply } from '#sim/server/reply.ts'

import { damages as kalshiDamages } from './kalshi_wire/damage.ts'
import { createHosts as createKalshi, hostUrls as kalshiUrls } from './kalshi_wire/hosts.ts'
import { damages as limitlessDamages } from './limitless_wire/damage.ts'
import { createHosts as createLimitless, hostUrls as limitlessUrls } from './limitless_wire/hosts.ts'
import { createLifecycle } from './limitless_wire/lifecycle.ts'
import { createHosts as createPolymarket, hostUrls as polymarketUrls } from './polymarket_wire/hosts.ts'
import { createClobChannel } from './polymarket_wire/push/clob_channel.ts'
import { createRtds } from './polymarket_wire/push/rtds.ts'
import type { World } from './types.ts'
import { createWorld } from './world.ts'

export type Answer = (ask: Ask, at: Instant) => Reply

/** The hosts of a venue over a world. */
export type Venue = {
  /** The addresses of the hosts below a server, by the names that the sources use. */
  urls: (url: string) => Record<string, string>
  /** The pushed feeds, by the first folder of their addresses. */
  feeds?: (world: World) => Record<string, Feed>
  /** The answers of the hosts, by the first folder of their addresses. */
  create: (world: World, options: { dataApi: 'v2' | 'v1'; spoil: Spoil }) => Record<string, Answer>
  /** The ways in which its rows are damaged; by default those of Polymarket. */
  damages?: Damages
}

export type VenueName = 'polymarket' | 'kalshi' | 'limitless'

/** The simulated venues. A new one is a folder and a line here. */
export const venues: Partial<Record<VenueName, Venue>> = {
  polymarket: {
    urls: polymarketUrls,
    feeds: (world) => ({ rtds: createRtds(world), clob_push: createClobChannel(world) }),
    create: (world, { dataApi, spoil }) => createPolymarket(world, dataApi, spoil),
  },
  limitless: {
    urls: limitlessUrls,
    feeds: (world) => ({ limitless_push: createLifecycle(world) }),
    create: (world, { spoil }) => createLimitless(world, spoil),
    damages: limitlessDamages,
  },
  kalshi: {
    urls: kalshiUrls,
    create: (world, { dataApi, spoil }) => createKalshi(world, dataApi === 'v2' ? 'dollars' : 'cents', spoil),
    damages: kalshiDamages,
  },
}

/** A world for each venue that is served. */
export type Worlds = Partial<Record<VenueName, World>>

/**
 * Small worlds of the venues beside Polymarket, each from a seed of its own. All worlds have the same times, so that
 * one clock serves all.
 */
export function otherWorlds(
  seed: number,
  { scale = 0.02, isLifelike = false }: { scale?: number; isLifelike?: boolean } = {},
): Omit<Worlds, 'polymarket'> {
  const others = Object.keys(venues).filter((name) => name !== 'polymarket') as VenueName[]
  return Object.fromEntries(others.map((name, n) => [name, createWorld({ seed: mix(seed, n + 1), scale, isLifelike })]))
}
