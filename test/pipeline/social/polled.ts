import { setTimeout as sleep } from 'node:timers/promises'

import { onTestFinished } from 'vitest'

import { findSource, followedParts } from '#activities/index.ts'
import { simulatedHosts } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig } from '#config.ts'
import { ingestUnits, type Tally } from '#ingest/batch.ts'
import { createHttp, type Http } from '#ingest/http/http.ts'
import { plan } from '#ingest/plan.ts'
import { reparse, type Reparsed } from '#ingest/reparse.ts'
import type { Source } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { steppedClock } from '#sim/clock.ts'
import { serveSocial, type ServedSocial, type SocialOptions } from '#sim/social/server.ts'
import type { SocialWorld } from '#sim/social/world.ts'
import { sources } from '#sources/index.ts'
import type { Micros } from '#time.ts'

import { secret } from './jetstream_run.ts'

export type Polled = {
  served: ServedSocial
  /** Moves the world to an instant, and reads what is due of some sources. */
  readAt: (lake: Lake, names: readonly string[], at: Micros) => Promise<Tally[]>
  /** Reads the units of a source again from their stored responses. */
  reparseAll: (lake: Lake, name: string) => Promise<Reparsed>
}

/** Serves a world, and reads it with the sources of an installation. `env` holds further settings. */
export async function servePolled(
  world: SocialWorld,
  { env = {}, ...options }: Omit<SocialOptions, 'world' | 'clock'> & { env?: Record<string, string> } = {},
): Promise<Polled> {
  const clock = steppedClock(world.start)
  const served = await serveSocial({ world, clock: clock.now, ...options })
  onTestFinished(served.close)
  const config = parseConfig({ TAPELINE_AUTHOR_SECRET: secret, ...env }, sources)
  const hosts = simulatedHosts(config.hosts, served)
  const timers = { now_ms: Date.now, sleep: (ms: number) => sleep(Math.min(ms, 5)) }
  const http: Http = createHttp({ hosts, random: Math.random, ...timers })
  const sourceOf = (name: string): Source => findSource(config.sources, name)
  const readAt: Polled['readAt'] = async (lake, names, at) => {
    clock.set(at)
    const tallies: Tally[] = []
    for (const name of names) {
      const source = sourceOf(name)
      tallies.push(await readSource(lake, { source, http, at, parts: followedParts(source, hosts) }))
    }
    return tallies
  }
  return { served, readAt, reparseAll: (lake, name) => reparse(lake, sourceOf(name), () => undefined) }
}

async function readSource(
  lake: Lake,
  {
    source,
    http,
    at,
    parts: [first, ...rest],
  }: { source: Source; http: Http; at: Micros; parts: Source['parts'][number][] },
): Promise<Tally> {
  if (first === undefined) throw new Error(`source ${source.name}: no part; expected a served part`)
  const own = { ...source, parts: [first, ...rest] } satisfies Source
  const request = { source: source.name, at, from: 0, to: at, keys: [], includeOpen: true }
  const { units } = await lake.read((reader) => plan(own, request, { lake: reader, get: http }))
  return ingestUnits({ lake, http, keepRaw: true, concurrency: 2 }, () => own, units, at)
}
