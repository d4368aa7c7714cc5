import { resolve } from 'node:path'

import type { Clock } from '#time.ts'

import { cursorLife_s, publicationNames, type PublicationName } from './publications.ts'
import { readPublished } from './snapshot.ts'
import { openSnapshotPool, type Snapshot, type SnapshotPool } from './snapshot_pool.ts'
import { limitSteps, StillReading } from './steps.ts'
import { trackSnapshots, type CurrentSnapshots } from './tracked_snapshots.ts'

export type { Snapshot }

export type Marts = {
  /** The current snapshot of the publications, read as one; null until each of them has one. */
  current: (...names: PublicationName[]) => Snapshot | null
  /** A snapshot by its id, current or replaced less than `keep_ms` ago; null for any other. */
  at: (id: string) => Snapshot | null
  /** The reason why the newest published snapshots cannot be served; null if they are served. */
  fault: () => string | null
  /** Whether one of them is damaged or missing. A disk that is slow to give one is a fault, and no damage. */
  isDamaged: () => boolean
  /**
   * Takes a damaged snapshot out of service. The newest intact one of its publications replaces it, and `fault` reports
   * the reason while the pointer names it.
   */
  withdraw: (snapshot: Snapshot) => Promise<void>
  /** Registers work that is done before a snapshot replaces the current one, within `preparing_ms`. */
  beforeReplacing: (work: Preparation) => void
  /** Looks for new snapshots now. Never rejects; `fault` reports errors. */
  refresh: () => Promise<void>
  close: () => Promise<void>
}

/** Work for the next snapshot of a publication, over the snapshots as they will be. A failure is ignored. */
export type Preparation = (name: PublicationName, next: Pick<Marts, 'current'>, signal: AbortSignal) => Promise<void>

/**
 * Follows `<dir>/current.json` and serves the snapshots that it names, `<dir>/<id>.duckdb`. Publications are
 * independent: an error of one does not delay another. A replaced snapshot is served for another `keep_ms`, even if it
 * was replaced before this process began. If the newest snapshot is damaged or missing, the one before it is served. A
 * query is interrupted after `limit_ms`, including its wait. A publication whose file is not read within `step_ms` is a
 * fault until it is; others are followed meanwhile. A snapshot waits for its preparation for at most `preparing_ms`.
 */
export async function openMarts(options: {
  dir: string
  now: Clock
  keep_ms?: number
  poll_ms?: number
  limit_ms?: number
  step_ms?: number
  preparing_ms?: number
}): Promise<Marts> {
  const { now, keep_ms = cursorLife_s * 1_000, poll_ms = 200, limit_ms = 5_000, step_ms = 60_000 } = options
  const { preparing_ms = 250 } = options
  const dir = resolve(options.dir)
  const pool = await openSnapshotPool({ dir, limit_ms })
  const combine = combineIn(pool)
  const { prepare, beforeReplacing } = openPreparations({ combine, preparing_ms })
  const tracked = trackSnapshots({ dir, pool, now, keep_ms, prepare })
  const { held, current, follow, withdraw, detachWithdrawn, detachExpired } = tracked
  const steps = limitSteps(step_ms)
  let fault: string | null = null
  let isDamaged = false

  const look = async () => {
    const faults: unknown[] = []
    const attempt = async (work: () => Promise<void>) => {
      try {
        await work()
      } catch (error) {
        faults.push(error)
      }
    }
    await attempt(detachWithdrawn)
    await attempt(async () => {
      const published = await steps.run('current.json', () => readPublished(dir))
      if (!published && current.size > 0) throw new Error('current.json: missing; expected the current snapshots')
      for (const name of published ? publicationNames() : [])
        await attempt(() => steps.run(name, () => follow(name, published?.[name])))
    })
    await attempt(detachExpired)
    // /readyz is public, so local paths are removed.
    const texts = faults.map((error) => (error instanceof Error ? error.message : String(error)))
    const reasons = texts.join('; ').replaceAll(`${dir}/`, '')
    fault = faults.length === 0 ? null : `the newest snapshot cannot be served: ${reasons}`
    isDamaged = faults.some((error) => !(error instanceof StillReading))
  }

  // Refreshes run one after another. Two never attach the same file, and each sees the state at its call.
  let last = Promise.resolve()
  const refresh = () => (last = last.then(look))
  await refresh()
  const timer = setInterval(() => void refresh(), poll_ms).unref()

  const close = async () => {
    clearInterval(timer)
    await last
    // A call that hangs still holds the pool, and closing it would hang too.
    if (!steps.isAnyRunning()) pool.close()
  }
  return {
    current: (...names) => {
      const [only] = names
      // Each cached answer asks; most read one publication, which needs no list.
      if (only !== undefined && names.length === 1) return current.get(only)?.snapshot ?? null
      return combine(names.map((name) => current.get(name)?.snapshot))
    },
    at: (id) => combine(id.split('+').map((part) => held.get(part)?.snapshot)),
    fault: () => fault,
    isDamaged: () => isDamaged,
    withdraw: async (snapshot) => {
      withdraw(snapshot)
      await refresh()
    },
    beforeReplacing,
    refresh,
    close,
  }
}

/** Reads several snapshots as one; null if one of them is missing. */
const combineIn =
  (pool: SnapshotPool) =>
  (parts: (Snapshot | undefined)[]): Snapshot | null => {
    const present = parts.filter((snapshot) => snapshot !== undefined)
    return present.length < Math.max(1, parts.length) ? null : pool.combine(present)
  }

/** The work that prepares the next snapshot of a publication. */
function openPreparations({ combine, preparing_ms }: { combine: ReturnType<typeof combineIn>; preparing_ms: number }) {
  const works: Preparation[] = []
  const prepare = async (name: PublicationName, snapshot: Snapshot, current: CurrentSnapshots) => {
    const after = (publication: PublicationName) =>
      publication === name ? snapshot : current.get(publication)?.snapshot
    const next = { current: (...names: PublicationName[]) => combine(names.map(after)) }
    const signal = AbortSignal.timeout(preparing_ms)
    await Promise.allSettled(works.map((work) => work(name, next, signal)))
  }
  return { prepare, beforeReplacing: (work: Preparation) => void works.push(work) }
}
