import { parentPort, workerData } from 'node:worker_threads'

import { fastClock } from '#sim/clock.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { machineClock, type Clock, type Micros } from '#time.ts'

export type ThreadSettings = { seed: number; speed: number; scale?: number }

/** The message that the thread sends when it serves. */
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
const { seed, speed, scale = 1 } = workerData as ThreadSettings
const world = createWorld({ seed, scale })
/** The clock is stopped until the first cycle is done. The same seed then gives the same demo on any machine. */
let clock: Clock = () => world.now
parentPort?.once('message', () => {
  clock = fastClock({ start: world.now, speed, machine: machineClock })
})
const { hosts, worldName } = await serveWorld({ world, clock: () => clock() })
const { opensAt, now, endsAt, markets, traders } = world
const announcement: Announcement = {
  hosts,
  worldName,
  opensAt,
  now,
  endsAt,
  n_markets: markets.length,
  n_traders: traders.length,
}
parentPort?.postMessage(announcement)
