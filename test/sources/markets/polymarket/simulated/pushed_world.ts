import { setTimeout as sleep } from 'node:timers/promises'

import { simulatedHosts } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig } from '#config.ts'
import { ingestUnits } from '#ingest/batch.ts'
import { detachedContext } from '#ingest/heartbeat.ts'
import type { Connect } from '#ingest/http/connection.ts'
import { createHttp } from '#ingest/http/http.ts'
import { createStreams } from '#ingest/http/stream.ts'
import { connectWebSocket } from '#ingest/http/websocket.ts'
import { plan } from '#ingest/plan.ts'
import type { PlannedSource, StreamSource } from '#ingest/source.ts'
import { followStream } from '#ingest/stream/follow_stream.ts'
import { fastClock } from '#sim/clock.ts'
import type { World } from '#sim/markets/types.ts'
import type { OtherWorlds } from '#sim/markets/venues.ts'
import type { PushFaults } from '#sim/server/push.ts'
import { serveWorld } from '#sim/server/server.ts'
import { temporaryLake } from '#test/sources/markets/polymarket/fake.ts'
import { machineClock, type Micros } from '#time.ts'

/** Seconds of the world, and of the timers of connections, in one of the machine. */
const speed = 40

/**
 * A world that pushes with faults, and a lake that follows a stream of it and polls it on request. A stepped world
 * moves only by `step` and `skip`.
 */
export async function openPushed(
  world: World,
  {
    stream,
    faults,
    others = {},
    startsAt = world.now,
    isStepped = false,
  }: {
    stream: StreamSource
    faults: PushFaults
    others?: OtherWorlds
    startsAt?: Micros
    isStepped?: boolean
  },
) {
  let ahead = 0
  let aged_ms = 0
  let n_connections = 0
  const fast = isStepped ? () => startsAt : fastClock({ start: startsAt, speed, machine: machineClock })
  let haltedAt: Micros | undefined
  const clock = (): Micros => (haltedAt ?? fast()) + ahead
  const push = isStepped ? { ...faults, now_ms: () => aged_ms } : faults
  const served = await serveWorld({ world, others, clock, cache: 'stale', push })
  const { lake, remove } = await temporaryLake()
  const hosts = simulatedHosts(parseConfig({}).hosts, served)
  const timers = {
    now_ms: () => performance.now() * speed,
    sleep: (ms: number, signal?: AbortSignal) => sleep(ms / speed, undefined, signal ? { signal } : {}),
  }
  const http = createHttp({ hosts, random: Math.random, ...timers })
  const connect: Connect = (...of) => {
    n_connections += 1
    return connectWebSocket(...of)
  }
  const streams = createStreams({ hosts, connect, random: Math.random, ...timers })
  const ending = new AbortController()
  const context = { ...detachedContext, cancelled: ending.signal }
  const follow = async (): Promise<never> => {
    for (;;) await followStream({ lake, hosts, streams, timers, clock }, stream, stream.parts[0].name, context)
  }
  let following: Promise<string> | undefined
  return {
    lake,
    clock,
    n_connections: () => n_connections,
    /** Reads what a follow would read now. */
    poll: async (source: PlannedSource): Promise<void> => {
      const at = clock()
      const request = { source: source.name, at, from: 0, to: at, keys: [], includeOpen: true }
      const { units } = await lake.read((reader) => plan(source, request, { lake: reader, get: http }))
      await ingestUnits({ lake, http, keepRaw: false, concurrency: 1 }, () => source, units, at)
    },
    follow: (): void => {
      following = follow().catch(String)
    },
    /** Lets the world stand still until its follow is `caughtUp`, however slow the machine is. */
    halt: async (caughtUp: () => Promise<unknown>): Promise<void> => {
      haltedAt = fast()
      await caughtUp()
      ahead -= fast() - haltedAt
      haltedAt = undefined
    },
    skip: (micros: Micros): void => {
      ahead += micros
    },
    /** Moves a stepped world. Its connections age as on a machine of its speed. */
    step: (micros: Micros): void => {
      ahead += micros
      aged_ms += micros / 1_000 / speed
    },
    /** Ends the follow. Returns the reason of its end. */
    close: async (): Promise<string | undefined> => {
      ending.abort(new Error('the test is over'))
      const reason = await following
      await served.close()
      await remove()
      return reason
    },
  }
}
