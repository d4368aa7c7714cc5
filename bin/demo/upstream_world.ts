import { parentPort, workerData } from 'node:worker_threads'

import { fastClock } from '#sim/clock.ts'
import { otherWorlds } from '#sim/markets/venues.ts'
import { createWorld, squeezed, type Crowd } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { pastParts } from '#sim/social/past_parts.ts'
import { serveSocial } from '#sim/social/server.ts'
import { machineClock, type Clock, type Micros } from '#time.ts'

import { demoPosts } from './past_posts.ts'

export type ThreadSettings = {
  seed: number
  speed: number
  scale?: number
  /** The crowd; by default that of the scale. */
  crowd?: Crowd
  /** Seconds after the world's `now` at which the clock is stopped; 0 by default. */
  ahead_s?: number
  /** The seconds whose matches each second after the world's `now` has; 1 by default. */
  squeeze?: number
  /** Whether the platforms with a past in `demoPosts` are served too; not by default. */
  hasPosts?: boolean
  /** Whether prices in questions are lifelike and news breaks around the world's `now`; not by default. */
  isLifelike?: boolean
}

/** A message to the thread: the clock runs, or stands at an instant from here on. Only the latter is answered. */
export type Order = 'run' | { at: Micros }

/** The message of the thread once it serves. */
export type Announcement = {
  /** The addresses of the simulated hosts, by name. */
  hosts: Record<string, string>
  worldName: string
  opensAt: Micros
  now: Micros
  endsAt: Micros
  n_markets: number
  n_traders: number
}

// Only `startUpstream` starts this file, with these settings.
const settings = workerData as ThreadSettings
const { seed, speed, scale = 1, crowd, ahead_s = 0, squeeze = 1, hasPosts = false, isLifelike = false } = settings
const created = createWorld({ seed, scale, isLifelike, hasNews: isLifelike, ...(crowd && { crowd }) })
const world = squeezed(created, squeeze)
const now = world.now + ahead_s * 1_000_000
/** The clock is stopped until the first cycle is done. The same seed then gives the same demo on any machine. */
let clock: Clock = () => now
parentPort?.on('message', (order: Order) => {
  if (order === 'run') {
    clock = fastClock({ start: clock(), speed, machine: machineClock })
    return
  }
  clock = () => order.at
  parentPort?.postMessage('set')
})
const { hosts, worldName } = await serveWorld({
  world,
  others: otherWorlds(seed, { isLifelike }),
  clock: () => clock(),
  cache: 'stale',
})
const posts = hasPosts ? (await serveSocial({ world: demoPosts(seed, now), clock: () => clock() })).hosts : {}
const postHosts = Object.entries(posts).filter(([name]) => pastParts.some(({ host }) => host === name))
const { opensAt, endsAt, markets, traders } = world
const announcement: Announcement = {
  hosts: { ...hosts, ...Object.fromEntries(postHosts) },
  worldName,
  opensAt,
  now,
  endsAt,
  n_markets: markets.length,
  n_traders: traders.length,
}
parentPort?.postMessage(announcement)
