import type { Connection } from '@temporalio/client'

import type { Queue } from '#engine/engine.ts'
import type { TemporalServer } from '#engine/temporal_settings.ts'

/** The name of a queue on a server. The queue of ingestion has the name of the setting. */
export const queueName = ({ taskQueue }: Pick<TemporalServer, 'taskQueue'>, queue: Queue): string =>
  queue === 'ingest' ? taskQueue : `${taskQueue}-${queue}`

/** A worker polls a task queue for a minute, and then again. */
const longestPoll_ms = 70_000
/** A server that does not answer holds up the end of a command no longer. */
const limit_ms = 5_000

/**
 * Whether a worker polls both queues of a name, that of workflows and that of activities. The server remembers a poller
 * for minutes after its end, so the instant of its last poll decides.
 */
async function isPolled(connection: Connection, namespace: string, taskQueue: string): Promise<boolean> {
  const now_ms = performance.timeOrigin + performance.now()
  const polled = [1, 2].map(async (taskQueueType) => {
    const request = { namespace, taskQueue: { name: taskQueue }, taskQueueType }
    const describe = () => connection.workflowService.describeTaskQueue(request)
    const { pollers } = await connection.withAbortSignal(AbortSignal.timeout(limit_ms), describe)
    return (pollers ?? []).some(
      ({ lastAccessTime }) => Number(lastAccessTime?.seconds) * 1_000 > now_ms - longestPoll_ms,
    )
  })
  return (await Promise.all(polled)).every(Boolean)
}

/** The name of a queue that no worker serves now; null: a worker does. */
export async function unservedQueue(
  connection: Connection,
  server: TemporalServer,
  queue: Queue,
): Promise<string | null> {
  const name = queueName(server, queue)
  return (await isPolled(connection, server.namespace, name)) ? null : name
}
