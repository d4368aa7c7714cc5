import { reportRuns } from '#bin/report/runs.ts'
import { NotRunning, type Engine, type Run } from '#engine/engine.ts'

/** The run of an id in another process; undefined if none is running. */
export async function runningElsewhere(engine: Pick<Engine, 'find'>, id: string): Promise<Run<unknown> | undefined> {
  try {
    return await engine.find(id)
  } catch (error) {
    if (!(error instanceof NotRunning)) throw error
    return undefined
  }
}

/**
 * Shows the runs of a home while another process has them. Returns at ^C, which ends this view alone, and when the
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
