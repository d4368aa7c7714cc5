import { Context } from '@temporalio/activity'
import { NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker'

import type { Server } from './temporal_client.ts'

type WorkerSettings = Server & {
  activities: object
  /** The file that exports all workflows. */
  workflowsPath: string
  /** A bundle of that file; without it each worker makes its own. */
  workflowBundle?: { codePath: string } | undefined
}

/** Runs the workflows and activities of a task queue until it is told to end; then what is under way is told to end. */
export async function runWorker({ address, ...settings }: WorkerSettings, signal: AbortSignal): Promise<void> {
  const connection = await NativeConnection.connect({ address })
  try {
    const worker = await Worker.create({ connection, ...workerOptions(settings) })
    const running = worker.run()
    // The SDK may have ended it at ^C, and to end it twice is an error.
    const stop = (): void => {
      if (worker.getState() === 'RUNNING') worker.shutdown()
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    await running
  } finally {
    await connection.close()
  }
}

/** Leaves it to this process when its workers end: the SDK would end them at ^C. Once, before the first of them. */
export const takeSignals = (): void => void Runtime.install({ shutdownSignals: [] })

const workerOptions = ({ activities, workflowBundle, ...of }: Omit<WorkerSettings, 'address'>): WorkerOptions => ({
  namespace: of.namespace,
  taskQueue: of.taskQueue,
  ...(workflowBundle === undefined ? bundleOptions(of.workflowsPath) : { workflowBundle }),
  activities: Object.fromEntries(
    Object.entries(activities as Record<string, Verb>).map(([name, verb]) => [name, asActivity(verb)]),
  ),
  shutdownGraceTime: 1_000,
  // By default a beat waits for 80 % of its timeout, and what was done meanwhile is done again after a kill.
  maxHeartbeatThrottleInterval: 1_000,
})

/** Without the condition the bundler takes the embedded engine for `#engine`, and says nothing. */
export const bundleOptions = (workflowsPath: string): Pick<WorkerOptions, 'workflowsPath' | 'bundlerOptions'> => ({
  workflowsPath,
  bundlerOptions: {
    webpackConfigHook: (config) => ({
      ...config,
      resolve: { ...config.resolve, conditionNames: ['temporal', '...'] },
    }),
  },
})

/** Below the heartbeat timeout of every activity. */
const beat_ms = 2_000

type Verb = (...args: unknown[]) => Promise<unknown>

/** An activity that shows that it lives for as long as it runs, and ends as cancelled when it was. */
const asActivity =
  (verb: Verb): Verb =>
  async (...args) => {
    const context = Context.current()
    const timer = setInterval(() => context.heartbeat(cursors.get(context)), beat_ms)
    try {
      return await verb(...args)
    } catch (error) {
      // A request is cut off too when this process ends, a moment before what is under way is cancelled. That is no
      // failure of the activity's own.
      const isCutOff = error instanceof Error && error.name === 'AbortError'
      if (isCutOff || context.cancellationSignal.aborted) await context.cancelled
      throw error
    } finally {
      clearInterval(timer)
    }
  }

const cursors = new WeakMap<Context, unknown>()

/** How the activity that runs now tells how far it has come, and learns how far the attempt before it came. */
export function temporalContext(): {
  heartbeatDetails: unknown
  heartbeat: (cursor: unknown) => void
  cancelled: AbortSignal
} {
  const context = Context.current()
  return {
    heartbeatDetails: context.info.heartbeatDetails as unknown,
    heartbeat: (cursor) => {
      cursors.set(context, cursor)
      context.heartbeat(cursor)
    },
    cancelled: context.cancellationSignal,
  }
}
