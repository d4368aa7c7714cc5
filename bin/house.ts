import { setTimeout as sleep } from 'node:timers/promises'

import { createActivities, type Activities } from '#activities/index.ts'
import { createHttp, type HttpCounts } from '#activities/http.ts'
import { polymarketSources } from '#activities/markets/index.ts'
import type { Source } from '#activities/source.ts'
import type { Config } from '#config.ts'
import { machineClock, type Clock } from '#lake/clock.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { loadScoring } from '#scoring/index.ts'

/** The parts of the house, joined: a lake and the verbs that work on it. */
export type House = {
  lake: Lake
  activities: Activities
  sources: readonly Source[]
  /** Requests so far, for progress. */
  counts: HttpCounts
  close: () => Promise<void>
}

/** Joins the parts over a home. `clock` is the time of the world that is watched. */
export async function openHouse(
  config: Config,
  { clock = machineClock, signal, keepSnapshots_ms = 24 * 3_600_000 }: HouseOptions = {},
): Promise<House> {
  const { home, threads, memory, concurrency, keepRaw, hosts } = config
  const lake = await openLake(home, { threads, memory })
  const counts: HttpCounts = { requests: 0, bytes: 0, retries: 0 }
  const http = createHttp({
    hosts,
    counts,
    random: Math.random,
    now_ms: Date.now,
    sleep: async (ms, stop) => sleep(ms, undefined, stop === undefined ? {} : { signal: stop }),
    ...(signal === undefined ? {} : { signal }),
  })
  const activities = createActivities({
    lake,
    sources: polymarketSources,
    hosts,
    http,
    models: await loadScoring(),
    clock,
    now: machineClock,
    keepRaw,
    concurrency,
    keepSnapshots_ms,
    threads,
    memory,
  })
  return { lake, activities, sources: polymarketSources, counts, close: async () => lake.close() }
}

type HouseOptions = { clock?: Clock; signal?: AbortSignal; keepSnapshots_ms?: number }
