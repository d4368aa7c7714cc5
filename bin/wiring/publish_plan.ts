import type { Engine, Run } from '#engine/engine.ts'
import { publicationNames } from '#snapshots/publications.ts'
import { publish } from '#workflows/publish.ts'

import { cancelRun } from './home_runs.ts'

/** The run of a publication. */
const idOf = (name: string): string => `publish-${name}`

/** The first run of `tapeline publish`, by which other processes of the home find it. */
export const publishingId = idOf(publicationNames()[0] ?? '')

/**
 * Starts the runs that publish, one for each publication, so that a long build delays no other. Runs that exist
 * continue unchanged. Without a server it throws `AlreadyRunning` if another process of the home publishes.
 *
 * @param scores_ms the least time from the begin of a build of the scores to that of the next one
 */
export async function startPublishing(engine: Engine, scores_ms?: number): Promise<Run<never>[]> {
  const runs: Run<never>[] = []
  for (const name of publicationNames()) {
    const every = name === 'scores' && scores_ms !== undefined ? { every_ms: scores_ms } : {}
    const labels = { publication: name }
    const options = { id: idOf(name), labels, queue: 'score', restartOnFailure: true } as const
    // One after the other, so that of two processes at once one begins all and the other one none.
    runs.push(await engine.start(publish, { ...options, args: [{ name, ...every }] }))
  }
  return runs
}

/** Ends the runs that publish. Returns the ids of those that were running. */
export async function stopPublishing(engine: Engine): Promise<string[]> {
  const ended = await Promise.all(publicationNames().map((name) => cancelRun(engine, idOf(name))))
  return ended.filter((id) => id !== undefined)
}
