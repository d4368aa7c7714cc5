import { setTimeout as sleep } from 'node:timers/promises'

import { createStreams } from '#activities/http/stream.ts'
import { connectWebSocket } from '#activities/http/websocket.ts'
import { createActivities } from '#activities/index.ts'
import type { ActivityContext } from '#activities/ingest/heartbeat.ts'
import { blueskyJetstream, jetstreamHost } from '#activities/social/bluesky/bluesky_jetstream.ts'
import type { Source } from '#activities/source.ts'
import type { Lake } from '#lake/lake.ts'
import { tinyTools } from '#test/activities/tiny.ts'
import type { Micros } from '#time.ts'

/** The secret of the installation in these tests. */
export const secret = 'a-secret-of-an-installation-in-tests'

/** The source as an installation with this secret has it. */
export const source: Source = { ...blueskyJetstream, values: { authorSecret: secret } }

/** Follows the simulated network without an end, as an installation does. `now` is the latest instant of events. */
export async function followJetstream(
  lake: Lake,
  { url, now, context }: { url: string; now: Micros; context: ActivityContext },
): Promise<never> {
  const timers = {
    now_ms: () => performance.now(),
    sleep: (ms: number, signal?: AbortSignal) => sleep(Math.min(ms, 50), undefined, signal ? { signal } : {}),
  }
  const hosts = { [jetstreamHost.name]: { ...jetstreamHost, url, world: 'social' } }
  const streams = createStreams({ hosts, connect: connectWebSocket, random: Math.random, ...timers })
  const tools = { ...tinyTools(lake, source, now), hosts, timers, streams, context: () => context }
  const { stream } = createActivities(tools)
  for (;;) await stream({ source: source.name, part: 'bluesky' })
}
