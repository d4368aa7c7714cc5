import { reportRuns } from '#bin/report/runs.ts'
import type { Config } from '#config.ts'
import { condition, defineQuery, setHandler } from '#engine/embedded_workflow.ts'
import { AlreadyRunning, NotRunning, type Engine, type Run } from '#engine/engine.ts'

import { openEngine } from './engine.ts'

/** The runs of the processes of a home, also where a server runs its workflows. */
export const openHomeRuns = ({ home }: Pick<Config, 'home'>): Promise<Engine> =>
  openEngine({ home, temporal: undefined })

/** The run of an id in another process; undefined if none is running. */
export async function runningElsewhere(engine: Pick<Engine, 'find'>, id: string): Promise<Run<unknown> | undefined> {
  try {
    return await engine.find(id)
  } catch (error) {
    if (!(error instanceof NotRunning)) throw error
    return undefined
  }
}

/** Cancels a run. Returns its id, or undefined if it was not running. */
export async function cancelRun(engine: Engine, id: string): Promise<string | undefined> {
  const run = await runningElsewhere(engine, id)
  await run?.cancel()
  return run?.id
}

/** A process of the home as others see it: the address at which it listens, if it serves. */
export type Presence = { url?: string }

const progress = defineQuery<Presence>('progress')

async function present(presence: Presence): Promise<void> {
  setHandler(progress, () => presence)
  await condition(() => false)
}

/**
 * Shows this process to others of its home. Resolves when its run is cancelled, and rejects with {@link AlreadyRunning}
 * if another process has it.
 */
export async function showPresence(engine: Engine, id: string, presence: Presence): Promise<{ ended: Promise<void> }> {
  const run = await engine.start(present, { id, args: [presence] })
  const ended = run.result().catch((error: unknown) => {
    if (error instanceof AlreadyRunning) throw error
  })
  ended.catch(() => undefined)
  return { ended }
}

/** The addresses at which processes of the home serve. */
export async function servedUrls(engine: Engine): Promise<string[]> {
  return (await engine.list()).flatMap(({ progress: presence }) =>
    typeof presence === 'object' && presence !== null && 'url' in presence && typeof presence.url === 'string'
      ? [presence.url]
      : [],
  )
}

/**
 * Shows the runs of a home while another process has them. Returns at ^C, which ends only this view, and when the
 * other process ends its run. Throws if that process is killed.
 */
export async function showUntilEnd(engine: Engine, first: Run<unknown>, stopped: Promise<void>): Promise<void> {
  process.stderr.write(`${first.id}: another process of this home runs it; ^C ends only this view\n`)
  const stopReporting = reportRuns(engine)
  try {
    const ended = first.result().catch((error: unknown) => {
      // A follow has no end but this.
      if (!(error instanceof Error) || error.name !== 'CancelledFailure') throw error
    })
    const isEnded = await Promise.race([ended.then(() => true), stopped.then(() => false)])
    if (isEnded) process.stderr.write(`${first.id}: the other process has ended it\n`)
  } finally {
    await stopReporting()
  }
}
