import { setTimeout as sleep } from 'node:timers/promises'

import { createActivities, type Activities } from '#activities/index.ts'
import type { ActivityContext } from '#ingest/heartbeat.ts'
import { createStreams } from '#ingest/http/stream.ts'
import { connectWebSocket } from '#ingest/http/websocket.ts'
import type { Lake } from '#lake/lake.ts'
import { tinyHost, tinyTools } from '#test/ingest/tiny.ts'
import type { Micros } from '#time.ts'

import { plantedStream } from './planted_stream.ts'

/** Seconds of the activities in one of the test. */
const speed = 20

/** The activities over a planted stream, whose machine runs faster. */
export function streamActivities(
  lake: Lake,
  { url, now, context }: { url: string; now: Micros; context: ActivityContext },
): Activities {
  const timers = {
    now_ms: () => performance.now() * speed,
    sleep: (ms: number, signal?: AbortSignal) => sleep(ms / speed, undefined, signal ? { signal } : {}),
  }
  const served = { [tinyHost.name]: { ...tinyHost, url } }
  const streams = createStreams({ hosts: served, connect: connectWebSocket, random: Math.random, ...timers })
  return createActivities({ ...tinyTools(lake, plantedStream, now), timers, streams, context: () => context })
}
