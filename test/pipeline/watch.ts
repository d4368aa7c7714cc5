import { setMaxListeners } from 'node:events'

import { otherWorlds } from '#sim/markets/venues.ts'
import { createWorld } from '#sim/markets/world.ts'
import { until } from '#test/run/eventually.ts'

import { compareOdds, compareTape } from './beside.ts'
import { isThere, late, storeLate } from './late.ts'
import { openLive, pause, readLake, readMarkets, type LiveSettings, type Looks, type Seen } from './live.ts'

export type WatchSettings = LiveSettings & {
  /**
   * The least seconds of the machine to watch for. The watch also waits for a late unit, a join, a deletion and the
   * observations.
   */
  watch_s: number
  readers: number
}

/** The report of an observer of a followed world. All fields but `behind_s` and the counts must be empty. */
export type Watched = {
  /** Fills that the lake lacks, and that it has too much, against the true tape. */
  lacking: string[]
  doubled: string[]
  n_fills: number
  /** Odds that were not the venue's at their instant. */
  wrongOdds: string[]
  n_odds: number
  faults: string[]
  n_answers: number
  n_looks: number
  n_snapshots: number
  /** World seconds that the odds were behind, each answer, in order of size. */
  behind_s: number[]
  /** Whether a unit that was stored inside a joined range was seen, at once and at the end. */
  isLateSeen: boolean[]
  joined: number
  deleted: number
}

const hour = 3_600_000_000

/**
 * Follows a simulated world while readers read, the lake is maintained, and a unit comes late; then looks at all of it.
 */
export async function watchLive(settings: WatchSettings): Promise<Watched> {
  const live = await openLive(settings)
  const { upstream, pipeline, maintained } = live
  const ending = new AbortController()
  setMaxListeners(settings.readers + 10, ending.signal)
  const begun = upstream.clock()
  try {
    const { readers } = settings
    const { signal } = ending
    const seen: Seen = { snapshots: new Map(), behind_s: [], faults: [] }
    const looks: Looks = { n_looks: 0, faults: [] }
    const observing = Promise.all([
      readMarkets(live, { readers, signal, seen }),
      readLake(pipeline.lake, { signal, looks }),
    ])
    const over = pause(settings.watch_s * 1_000, signal)
    const isLateSeen = await storeLate(pipeline.lake, upstream.clock, signal)
    await over
    await until(() => maintained.joined > 0 && maintained.deleted > 0)
    const isSeen = () => seen.behind_s.length > 10 * readers && seen.snapshots.size > 3 && looks.n_looks > 5
    await Promise.race([observing, until(isSeen)])
    ending.abort()
    await observing
    await live.engine.close()
    isLateSeen.push(await isThere(pipeline.lake, late))
    const world = createWorld(settings)
    const { kalshi } = otherWorlds(settings.seed)
    const window = { from: begun - hour, to: upstream.clock(), kalshi }
    const tape = await compareTape(pipeline.lake, world, window)
    const odds = await compareOdds(seen, world)
    return {
      ...tape,
      ...odds,
      faults: [...seen.faults, ...looks.faults],
      n_answers: seen.behind_s.length,
      n_looks: looks.n_looks,
      n_snapshots: seen.snapshots.size,
      behind_s: seen.behind_s.toSorted((a, b) => a - b),
      isLateSeen,
      ...maintained,
    }
  } finally {
    ending.abort()
    await live.close()
  }
}
