import { stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { Clock, Micros } from '#time.ts'

import { SnapshotDamaged } from './digest.ts'
import type { PublicationName } from './publications.ts'
import { listReplaced } from './snapshot.ts'
import type { Snapshot, SnapshotPool } from './snapshot_pool.ts'

/** A snapshot, and the time of its replacement. */
export type Held = { snapshot: Snapshot; replacedAt: Micros | null }

type Tracking = {
  dir: string
  pool: SnapshotPool
  now: Clock
  keep_ms: number
  /** Is awaited before a snapshot replaces one of the current ones. Never rejects. */
  prepare: (name: PublicationName, snapshot: Snapshot, current: CurrentSnapshots) => Promise<void>
}

/** The current snapshot of each publication. */
export type CurrentSnapshots = ReadonlyMap<PublicationName, Held>

/** The attached snapshots: the current snapshot of each publication, and recently replaced snapshots. */
export function trackSnapshots({ dir, pool, now, keep_ms, prepare }: Tracking) {
  const held = new Map<string, Held>()
  const current = new Map<PublicationName, Held>()
  const withdrawn = new Set<Snapshot>()
  const attach = attachIntact({ dir, pool })

  const follow = async (name: PublicationName, id: string | undefined) => {
    const before = current.get(name)
    if (id === undefined && before) throw new Error(`current.json: ${name} is missing; expected its current snapshot`)
    if (id === undefined || id === before?.snapshot.id) return
    try {
      const next = held.get(id) ?? { snapshot: await attach(id), replacedAt: null }
      if (before) await prepare(name, next.snapshot, current)
      await serve(name, next)
    } catch (error) {
      if (!current.has(name)) await fallBack(name, id)
      throw error
    }
  }

  const serve = async (name: PublicationName, next: Held) => {
    const before = current.get(name)
    if (before) before.replacedAt = now()
    next.replacedAt = null
    held.set(next.snapshot.id, next)
    current.set(name, next)
    if (!before) await restore(next.snapshot.id)
  }

  /** Serves the newest intact snapshot before the one that cannot be served. */
  const fallBack = async (name: PublicationName, newest: string) => {
    for (const { id } of (await listReplaced(dir, newest)).toReversed()) {
      const snapshot = held.get(id)?.snapshot ?? (await attach(id).catch(() => null))
      if (snapshot) return serve(name, { snapshot, replacedAt: null })
    }
  }

  /** Attaches the snapshots for which an earlier process may have issued cursors. */
  const restore = async (newest: string) => {
    for (const { id, replacedAt } of await listReplaced(dir, newest)) {
      if (now() - replacedAt >= keep_ms * 1_000) continue
      // An unreadable snapshot only invalidates its cursors.
      if (held.has(id)) continue
      const snapshot = await attach(id).catch(() => null)
      if (snapshot) held.set(id, { snapshot, replacedAt })
    }
  }

  const withdraw = ({ id }: Snapshot) => {
    for (const part of id.split('+')) {
      const gone = held.get(part)
      if (!gone) continue
      held.delete(part)
      withdrawn.add(gone.snapshot)
      for (const [name, served] of current) if (served === gone) current.delete(name)
    }
  }

  const detachWithdrawn = async () => {
    for (const snapshot of withdrawn) {
      if (!pool.isIdle(snapshot)) continue
      withdrawn.delete(snapshot)
      await pool.detach(snapshot)
    }
  }

  const detachExpired = async () => {
    for (const [id, { snapshot, replacedAt }] of held) {
      if (replacedAt === null || now() - replacedAt < keep_ms * 1_000) continue
      if (!pool.isIdle(snapshot)) continue
      // The list loses the snapshot first, so that no request gets a detached snapshot.
      held.delete(id)
      await pool.detach(snapshot)
    }
  }
  return { held, current, follow, withdraw, detachWithdrawn, detachExpired }
}

/** Attaches snapshots. A damaged file is not read again until it changes. */
function attachIntact({ dir, pool }: Pick<Tracking, 'dir' | 'pool'>) {
  const damaged = new Map<string, { error: SnapshotDamaged; stamp: string }>()
  return async (id: string): Promise<Snapshot> => {
    const stamp = await stampOf(join(dir, `${id}.duckdb`))
    const damage = damaged.get(id)
    if (damage?.stamp === stamp) throw damage.error
    damaged.delete(id)
    return pool.attach(id).catch((error: unknown) => {
      if (error instanceof SnapshotDamaged) damaged.set(id, { error, stamp })
      throw error
    })
  }
}

/** Changes with the file. */
const stampOf = (path: string): Promise<string> =>
  stat(path).then(
    ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
    () => 'missing',
  )
