import { Context } from '@temporalio/activity'
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type BundleOptions,
  type WorkerOptions,
} from '@temporalio/worker'

import { queues as allQueues, type Queue } from './engine.ts'
import { queueName } from './temporal/task_queue.ts'
import { connectionOptions } from './temporal_connection.ts'
import type { TemporalServer } from './temporal_settings.ts'

type WorkerSettings = {
  server: TemporalServer
  /** The queues that it serves; by default all. */
  queues?: readonly Queue[]
  activities: object
  /** The file that exports all workflows. */
  workflowsPath: string
  /** A bundle of that file; without it each worker bundles the file itself. */
  workflowBundle?: { codePath: string } | undefined
  /** The time that running activities have to end before they are cancelled. */
  grace_ms?: number
}

/** Runs the workflows and activities of some queues until `signal` aborts; then it takes no other. */
export async function runWorker(settings: WorkerSettings, signal: AbortSignal): Promise<void> {
  const { server, queues = allQueues, workflowsPath } = settings
  const workflowBundle = settings.workflowBundle ?? (await bundle(workflowsPath))
  const connection = await NativeConnection.connect(await connectionOptions(server))
  try {
    const options = { connection, namespace: server.namespace, workflowBundle, ...workerOptions(settings) }
    const created = queues.map((queue) => Worker.create({ ...options, taskQueue: queueName(server, queue) }))
    const workers = await Promise.all(created)
    // The SDK may have shut a worker down at ^C, and a second shutdown is an error.
    const stop = (): void => {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
    }
    // If one fails, the others end too.
    const running = workers.map((worker) => worker.run().finally(stop))
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    await Promise.allSettled(running)
    await Promise.all(running)
  } finally {
    await connection.close()
  }
}

const bundle = (workflowsPath: string): ReturnType<typeof bundleWorkflowCode> =>
  bundleWorkflowCode({ ...bundleOptions(workflowsPath), logger: Runtime.instance().logger })

/** Takes a message of the SDK, with its details. */
type Log = (level: 'warn' | 'error', message: string, details: object) => void

/**
 * Disables the shutdown of workers at ^C in the SDK, since this process ends them. `metrics`: the address where the SDK
 * serves its metrics. `log` takes its warnings, which otherwise go to standard error. Call it once, before the first
 * worker.
 */
export function takeSignals({ metrics, log }: { metrics?: string | undefined; log?: Log } = {}): void {
  const serving = metrics === undefined ? {} : { metrics: { prometheus: { bindAddress: metrics } } }
  if (log === undefined) {
    Runtime.install({ shutdownSignals: [], telemetryOptions: serving })
    return
  }
  const logger = new DefaultLogger('WARN', ({ level, message, meta = {} }) =>
    log(level === 'ERROR' ? 'error' : 'warn', message, meta),
  )
  const forwarded = { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } as const
  Runtime.install({ shutdownSignals: [], logger, telemetryOptions: { ...serving, logging: forwarded } })
}

const workerOptions = ({ activities, grace_ms = 1_000 }: WorkerSettings): Omit<WorkerOptions, 'taskQueue'> => ({
  activities: Object.fromEntries(
    Object.entries(activities as Record<string, Verb>).map(([name, verb]) => [name, asActivity(verb)]),
  ),
  shutdownGraceTime: grace_ms,
  // By default the SDK delays a heartbeat by up to 80 % of its timeout. After a kill, the work of that time is
  // repeated.
  maxHeartbeatThrottleInterval: 1_000,
})

/** Without this condition the bundler resolves `#engine` to the embedded engine, without a warning. */
export const bundleOptions = (workflowsPath: string): BundleOptions => ({
  workflowsPath,
  webpackConfigHook: (config) => ({
    ...config,
    resolve: { ...config.resolve, conditionNames: ['temporal', '...'] },
  }),
})

/** The interval of heartbeats, below the heartbeat timeout of every activity. */
const beat_ms = 2_000

type Verb = (...args: unknown[]) => Promise<unknown>

/** An activity that sends heartbeats while it runs. A cancelled activity ends as cancelled. */
const asActivity =
  (verb: Verb): Verb =>
  async (...args) => {
    const context = Context.current()
    const timer = setInterval(() => context.heartbeat(cursors.get(context)), beat_ms)
    try {
      return await verb(...args)
    } catch (error) {
      // When this process ends, it aborts requests shortly before it cancels activities. An aborted request is no
      // failure of its activity.
      const isCutOff = error instanceof Error && error.name === 'AbortError'
      if (isCutOff || context.cancellationSignal.aborted) await context.cancelled
      throw error
    } finally {
      clearInterval(timer)
    }
  }

const cursors = new WeakMap<Context, unknown>()

/** The context of the current activity: its heartbeats, and the details of the previous attempt's last heartbeat. */
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
