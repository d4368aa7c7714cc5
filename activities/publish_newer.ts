import { readMeta } from '#builder/build_meta.ts'
import type { ActivityContext } from '#ingest/heartbeat.ts'
import type { Timers } from '#ingest/http/rate_limiter.ts'
import { LeaseHeld } from '#lake/catalog/lease.ts'
import type { Lake } from '#lake/lake.ts'
import { latestSnapshot } from '#lake/snapshot.ts'
import { publicationNamed, publicationNames, type PublicationName } from '#snapshots/publications.ts'
import { currentSnapshot, snapshotPath } from '#snapshots/snapshot.ts'
import { isAhead, SECOND, type Clock, type Micros } from '#time.ts'

import type { Build } from './build.ts'

/** `every_ms` is the least time from the begin of a build to that of the next one; by default that of `publications`. */
export type NewerRequest = { name: PublicationName; every_ms?: number }

/** The publications of a term, and the last one; null without any. */
export type Publications = { published: number; asOf: Micros | null; lakeSnapshot: number | null }

/** Takes the report of each build: the machine's seconds that it took, and its instant; null: it failed. */
export type OnBuild = (build: { publication: PublicationName; took_s: number; asOf: Micros | null }) => void

type Tools = {
  lake: Lake
  clock: Clock
  now: () => Micros
  timers: Timers
  build: Build
  onBuild?: OnBuild | undefined
}

/** The current build of a publication: its inputs, its instant, and the machine's time of its begin. */
type Current = { id: string; asOf: Micros; lakeSnapshot: number; followed: string | undefined; begunAt: Micros }

/** The length of a term, so that a pause takes effect soon, and a workflow of many terms has a short history. */
const TERM_MS = 10_000
/** The pause between two looks at the catalog. */
const LOOK_MS = 100

/** Creates the publisher of a lake. It remembers its builds, and reads those of other processes from their files. */
export function createPublisher(tools: Tools) {
  const { lake, clock, now, timers, build, onBuild } = tools
  const currentBuilds = new Map<PublicationName, Current>()

  const followedBy = async (name: PublicationName): Promise<string | undefined> => {
    const followed = publicationNames().find((publication) => publication === publicationNamed(name).follows)
    return followed && currentSnapshot(lake.local, followed)
  }

  /** The current build; undefined before the first, and for one whose file is damaged, which the next one replaces. */
  const current = async (name: PublicationName): Promise<Current | undefined> => {
    const id = await currentSnapshot(lake.local, name)
    const last = currentBuilds.get(name)
    if (id === undefined) return undefined
    if (id === last?.id) return last
    const meta = await readMeta(lake.local.locate(snapshotPath(id))).catch(() => undefined)
    if (meta === undefined) return undefined
    const read = { id, ...meta, followed: await followedBy(name), begunAt: meta.builtAt }
    currentBuilds.set(name, read)
    return read
  }

  const isDue = async (last: Current, { name, every_ms }: NewerRequest): Promise<boolean> => {
    const { every_s, stale_s } = publicationNamed(name)
    // A clock that was set back says nothing about the time that has passed.
    const passed = now() < last.begunAt ? Infinity : now() - last.begunAt
    if (passed < (every_ms ?? every_s * 1_000) * 1_000) return false
    return (
      passed >= stale_s * SECOND ||
      (await latestSnapshot(lake.catalog)) > last.lakeSnapshot ||
      (await followedBy(name)) !== last.followed
    )
  }

  /** Publishes as of now, but never as of an earlier instant than before, unless a clock that was ahead is set back. */
  const publish = async (name: PublicationName, last: Current | undefined, cancelled?: AbortSignal) => {
    const [begunAt, followed] = [now(), await followedBy(name)]
    const before = last === undefined || isAhead(last.asOf, clock()) ? 0 : last.asOf
    const report = (at: Micros | null): void =>
      onBuild?.({ publication: name, took_s: (now() - begunAt) / SECOND, asOf: at })
    const built = build({ kind: 'publish', name, asOf: Math.max(clock(), before) }, cancelled)
    const {
      snapshot: id,
      asOf,
      lakeSnapshot,
    } = await built.catch((error: unknown) => {
      if (!(error instanceof LeaseHeld)) report(null)
      throw error
    })
    report(asOf)
    const published = { id, asOf, lakeSnapshot, followed, begunAt }
    currentBuilds.set(name, published)
    return published
  }

  return async (request: NewerRequest, { heartbeat, cancelled }: ActivityContext): Promise<Publications> => {
    const { name } = request
    const begun_ms = timers.now_ms()
    let [published, last] = [0, await current(name)]
    while (timers.now_ms() - begun_ms < TERM_MS) {
      cancelled?.throwIfAborted()
      heartbeat(null)
      last = await current(name)
      if (last !== undefined && !(await isDue(last, request))) {
        await timers.sleep(LOOK_MS)
        continue
      }
      try {
        last = await publish(name, last, cancelled)
        published += 1
      } catch (error) {
        // Another process publishes the same.
        if (!(error instanceof LeaseHeld)) throw error
        await timers.sleep(LOOK_MS)
      }
    }
    return { published, asOf: last?.asOf ?? null, lakeSnapshot: last?.lakeSnapshot ?? null }
  }
}
