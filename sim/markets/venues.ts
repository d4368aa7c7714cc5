import { mix } from '#sim/random.ts'

import { kalshi } from './kalshi_wire/index.ts'
import { limitless } from './limitless_wire/index.ts'
import { polymarket } from './polymarket_wire/index.ts'
import type { World } from './types.ts'
import type { SimulatedVenue } from './venue.ts'
import { createWorld } from './world.ts'

/** The simulated venues. A new one is a folder and a line here. */
const simulated = { polymarket, limitless, kalshi }

export type VenueName = keyof typeof simulated
export const venues: Readonly<Record<VenueName, SimulatedVenue>> = simulated

/** The venue of the largest world, whose seed is the name of all. */
export const mainVenue = 'polymarket'

/** A world for each venue that is served. */
export type Worlds = Partial<Record<VenueName, World>>
export type OtherWorlds = Omit<Worlds, typeof mainVenue>

/**
 * Small worlds of the other venues, each from a seed of its own. All worlds have the same times, so that one clock
 * serves all.
 */
export function otherWorlds(
  seed: number,
  { scale = 0.02, isLifelike = false }: { scale?: number; isLifelike?: boolean } = {},
): OtherWorlds {
  const others = Object.keys(venues).filter((name) => name !== mainVenue)
  return Object.fromEntries(others.map((name, n) => [name, createWorld({ seed: mix(seed, n + 1), scale, isLifelike })]))
}
