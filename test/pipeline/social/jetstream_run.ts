import { setTimeout as sleep } from 'node:timers/promises'

import { createActivities } from '#activities/index.ts'
import type { ActivityContext } from '#ingest/heartbeat.ts'
import type { Hosts } from '#ingest/http/host.ts'
import { createStreams } from '#ingest/http/stream.ts'
import { connectWebSocket } from '#ingest/http/websocket.ts'
import type { Source } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { blueskyJetstream, jetstreamHost } from '#sources/social/bluesky/bluesky_jetstream.ts'
import { tinyTools } from '#test/ingest/tiny.ts'
import type { Clock, Micros } from '#time.ts'

/** The secret of the installation in these tests. */
export const secret = 'a-secret-of-an-installation-in-tests'

/** The source as an installation with this secret has it. */
export const source: Source = { ...blueskyJetstream, values: { authorSecret: secret } }

/** Follows the simulated network without an end, as an installation does. `now` is the latest instant of events. */
export const followJetstream = (
  lake: Lake,
  { url, now, context }: { url: string; now: Micros; context: ActivityContext },
): Promise<never> =>
  followEndlessly(lake, source, {
    hosts: { [jetstreamHost.name]: { ...jetstreamHost, url, world: 'social' } },
    clock: () => now,
    context,
  })

/** Follows the first part of a stream without an end. */
export async function followEndlessly(
  lake: Lake,
  followed: Source,
  { hosts, clock, context }: { hosts: Hosts; clock: Clock; context: ActivityContext },
): Promise<never> {
  const timers = {
    now_ms: () => performance.now(),
    sleep: (ms: number, signal?: AbortSignal) => sleep(Math.min(ms, 50), undefined, signal ? { signal } : {}),
  }
  const streams = createStreams({ hosts, connect: connectWebSocket, random: Math.random, ...timers })
  const { stream } = createActivities({
    ...tinyTools(lake, followed, clock()),
    clock,
    hosts,
    timers,
    streams,
    context: () => context,
  })
  for (;;) await stream({ source: followed.name, part: followed.parts[0].name })
}
