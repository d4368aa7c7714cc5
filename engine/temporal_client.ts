import {
  Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type WorkflowHandle,
} from '@temporalio/client'

import { NotRunning, queues, type Engine, type Run, type RunState } from './engine.ts'
import { labelledStart } from './temporal/run_labels.ts'
import { queueName, unservedQueue } from './temporal/task_queue.ts'
import { connectTo } from './temporal_connection.ts'
import type { TemporalServer } from './temporal_settings.ts'

/** The time that a worker has to answer a query. */
const answer_ms = 5_000

/** Starts workflows on a Temporal server, where workers of the same task queue run them. */
export async function connectRemote(server: TemporalServer): Promise<Engine> {
  const { namespace, taskQueue } = server
  const connection = await connectTo(server)
  const client = new Client({ connection, namespace })
  // Installations may share a namespace; the task queue separates their runs.
  const prefix = `${taskQueue}/`
  const query = runningOn(server)
  const startLabelled = labelledStart(client, connection)
  const nameOf = (id: string): string => `${prefix}${id}`

  const list = async (): Promise<RunState[]> => {
    const states: Promise<RunState>[] = []
    for await (const { workflowId, type } of client.workflow.list({ query })) states.push(stateOf(workflowId, type))
    return Promise.all(states)
  }

  const stateOf = async (workflowId: string, workflow: string): Promise<RunState> => {
    const progress = await ask(client.workflow.getHandle(workflowId), 'progress').catch(() => null)
    return { id: workflowId.replace(prefix, ''), workflow, progress: progress ?? null }
  }

  // A deadline of gRPC is an instant of a clock, which may be set meanwhile.
  const ask = (handle: WorkflowHandle, name: string): Promise<unknown> =>
    connection.withAbortSignal(AbortSignal.timeout(answer_ms), () => handle.query(name))

  return {
    list,
    start: async (workflow, { id, args, labels = {}, queue = 'ingest', restartOnFailure = false }) => {
      const isOld = await isRunning(client, nameOf(id))
      const handle = await startLabelled(workflow.name, labels, {
        taskQueue: queueName(server, queue),
        workflowId: nameOf(id),
        args,
        workflowIdConflictPolicy: 'USE_EXISTING',
        // A failed endless run is restarted after the retries of its activities.
        ...(restartOnFailure ? { retry: { initialInterval: 10_000, maximumInterval: 300_000 } } : {}),
      })
      return runOf(handle, { id, isOld }) as Run<never>
    },
    schedule: async (workflow, { id, every_ms, args }) => {
      const spec = { intervals: [{ every: every_ms }] }
      const action = {
        type: 'startWorkflow',
        workflowType: workflow.name,
        workflowId: nameOf(id),
        taskQueue,
        args,
      } as const
      const policies = { overlap: 'SKIP', catchupWindow: 60_000 } as const
      try {
        await client.schedule.create({
          scheduleId: nameOf(id),
          spec,
          action,
          policies,
          state: { triggerImmediately: true },
        })
      } catch (error) {
        if (!(error instanceof ScheduleAlreadyRunning)) throw error
        await client.schedule.getHandle(nameOf(id)).update((old) => ({ ...old, spec, action, policies }))
      }
    },
    unschedule: (id) =>
      client.schedule
        .getHandle(nameOf(id))
        .delete()
        .catch((error: unknown) => {
          if (!(error instanceof ScheduleNotFoundError)) throw error
        }),
    find: async (id) => {
      if (!(await isRunning(client, nameOf(id)))) throw new NotRunning(id, await list())
      return runOf(client.workflow.getHandle(nameOf(id)), { id, isOld: true })
    },
    unservedQueue: (queue) => unservedQueue(connection, server, queue),
    close: () => connection.close(),
  }
}

/** The filter of the running runs of an installation. */
function runningOn(server: TemporalServer): string {
  const names = queues.map((queue) => `'${queueName(server, queue)}'`)
  return `TaskQueue in (${names.join()}) and ExecutionStatus = 'Running'`
}

const isRunning = async (client: Client, id: string): Promise<boolean> => {
  try {
    const { status } = await client.workflow.getHandle(id).describe()
    return status.name === 'RUNNING'
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

function runOf(handle: WorkflowHandle, identity: Pick<Run<unknown>, 'id' | 'isOld'>): Run<unknown> {
  return {
    ...identity,
    result: () => handle.result().catch((error: unknown) => Promise.reject(causeOf(error))),
    query: (definition) => handle.query(definition.name),
    signal: ({ name }, ...args) => handle.signal(name, ...args),
    cancel: async () => {
      await handle.cancel()
    },
  }
}

/** The error of a workflow or an activity, without the failures in which the server wraps it. */
function causeOf(error: unknown): unknown {
  if (error instanceof ServiceError) {
    return new Error('Temporal server: no response; its runs continue when it responds again', {
      cause: error,
    })
  }
  if (!(error instanceof WorkflowFailedError)) return error
  let cause: unknown = error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  return cause
}
