import { resolve } from 'node:path'

import type { Clock, Micros } from '#time.ts'

import { listReplaced, readPublished } from './current.ts'
import { publishes, type Publish } from './publications.ts'
import { cursorLife_ms } from './snapshot.ts'
import { openSnapshotPool, type Reads, type SnapshotPool, type Snapshot } from './snapshot_pool.ts'

export type { Reads, Snapshot }

export type Marts = {
  /** The newest snapshot that can be read, of the scores where nothing is said; null before the first. */
  current: (reads?: Reads) => Snapshot | null
  /** A current snapshot or one that was replaced a short while ago, or two of them as one; null for any other. */
  at: (id: string) => Snapshot | null
  /** Why the newest published snapshots are not the current ones; null when they are. */
  fault: () => string | null
  /** Looks for new snapshots now. Never rejects: what goes wrong is told by `fault`. */
  refresh: () => Promise<void>
  close: () => Promise<void>
}

/** A snapshot, and when another one took its place. */
type Held = { snapshot: Snapshot; replacedAt: Micros | null }

/**
 * Follows `<dir>/current.json` and serves the snapshots that it names, `<dir>/<id>.duckdb`. Scores and pulse go their
 * own ways: what is wrong with one does not hold up the other. A replaced snapshot answers for another `keep_ms`, also
 * one that was replaced shortly before this process began. A query, its wait included, is interrupted after `limit_ms`.
 */
export async function openMarts(of: {
  dir: string
  now: Clock
  keep_ms?: number
  poll_ms?: number
  limit_ms?: number
}): Promise<Marts> {
  const { now, keep_ms = cursorLife_ms, poll_ms = 1_000, limit_ms = 5_000 } = of
  const dir = resolve(of.dir)
  const shelf = await openSnapshotPool({ dir, limit_ms })
  const { held, current, follow, letGo } = trackSnapshots({ dir, shelf, now, keep_ms })
  let fault: string | null = null

  const look = async () => {
    const faults: string[] = []
    const attempt = async (work: () => Promise<void>) => {
      try {
        await work()
      } catch (error) {
        faults.push(error instanceof Error ? error.message : String(error))
      }
    }
    await attempt(async () => {
      const published = await readPublished(dir)
      if (!published && current.size > 0) throw new Error('current.json is gone')
      for (const publish of published ? publishes : []) await attempt(() => follow(publish, published?.[publish]))
    })
    await attempt(letGo)
    // It is shown to anyone who asks whether the service is ready, whom paths are no business of.
    const reasons = faults.join('; ').replaceAll(`${dir}/`, '')
    fault = faults.length === 0 ? null : `the newest snapshot cannot be served: ${reasons}`
  }

  // One look after another: two never attach the same file, and a caller's look sees what was there when it asked.
  let last = Promise.resolve()
  const refresh = () => (last = last.then(look))
  await refresh()
  const timer = setInterval(() => void refresh(), poll_ms).unref()

  const close = async () => {
    clearInterval(timer)
    await last
    shelf.close()
  }
  const join = (pulse: Held | undefined, scores: Held | undefined) =>
    pulse && scores ? shelf.pair(pulse.snapshot, scores.snapshot) : null
  return {
    current: (reads = 'scores') =>
      reads === 'both' ? join(current.get('pulse'), current.get('scores')) : (current.get(reads)?.snapshot ?? null),
    at: (id) => {
      const [first = '', second] = id.split('+')
      return second === undefined ? (held.get(first)?.snapshot ?? null) : join(held.get(first), held.get(second))
    },
    fault: () => fault,
    refresh,
    close,
  }
}

type Holding = { dir: string; shelf: SnapshotPool; now: Clock; keep_ms: number }

/** The snapshots that are held: the current one of each publish, and for a while those before it. */
const trackSnapshots = ({ dir, shelf, now, keep_ms }: Holding) => {
  const held = new Map<string, Held>()
  const current = new Map<Publish, Held>()

  const follow = async (publish: Publish, id: string | undefined) => {
    const before = current.get(publish)
    if (id === undefined && before) throw new Error(`current.json names no ${publish} any more`)
    if (id === undefined || id === before?.snapshot.id) return
    const next = held.get(id) ?? { snapshot: await shelf.attach(id), replacedAt: null }
    if (before) before.replacedAt = now()
    next.replacedAt = null
    held.set(id, next)
    current.set(publish, next)
    if (!before) await recall(id)
  }

  /** Takes up again what a process before this one may have given cursors for. */
  const recall = async (newest: string) => {
    for (const { id, replacedAt } of await listReplaced(dir, newest)) {
      if (now() - replacedAt >= keep_ms * 1_000) continue
      // One that cannot be read any more ends its cursors and nothing else.
      const snapshot = await shelf.attach(id).catch(() => null)
      if (snapshot) held.set(id, { snapshot, replacedAt })
    }
  }

  const letGo = async () => {
    for (const [id, { snapshot, replacedAt }] of held) {
      if (replacedAt === null || now() - replacedAt < keep_ms * 1_000) continue
      if (!shelf.isIdle(snapshot)) continue
      // First from the list: nobody is given one that is about to go.
      held.delete(id)
      await shelf.detach(snapshot)
    }
  }
  return { held, current, follow, letGo }
}
