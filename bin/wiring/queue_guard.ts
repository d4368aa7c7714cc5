import type { Config } from '#config.ts'
import { WrongServerSetting } from '#engine/engine.ts'
import type { TemporalServer } from '#engine/temporal_settings.ts'
import type { Lake } from '#lake/lake.ts'
import { lakeId } from '#lake/lake_id.ts'

/**
 * Refuses to work on a task queue of a Temporal server for another lake than its workers have: the workers of two homes
 * would divide the units of each run, and neither lake would be whole. The first lake that comes claims the queue.
 * Without a server nothing is refused.
 */
export async function refuseForeignQueue({ temporal }: Pick<Config, 'temporal'>, lake: Lake): Promise<void> {
  if (temporal === undefined) return
  const homeLake = await lakeId(lake)
  const owner = await claim(temporal, homeLake)
  if (owner === homeLake) return
  const { taskQueue } = temporal
  throw new WrongServerSetting(
    `TEMPORAL_TASK_QUEUE ${taskQueue}: belongs to the lake ${owner}, and this home holds the lake ${homeLake}; expected the ` +
      `home of that lake, another task queue, or no schedule ${idOf(taskQueue)} on the server`,
  )
}

const idOf = (taskQueue: string): string => `${taskQueue}/lake`

/**
 * Claims a task queue for a lake, and returns its owner. The claim is the memo of a paused schedule that never runs.
 * The server creates a schedule once, keeps it while nothing runs, and shows it in its web interface.
 */
async function claim(server: TemporalServer, lake: string): Promise<string> {
  // The client takes long to load, and most processes need no server.
  const { Client, ScheduleAlreadyRunning } = await import('@temporalio/client')
  const { connectTo } = await import('#engine/temporal_connection.ts')
  const connection = await connectTo(server)
  try {
    const { namespace, taskQueue } = server
    const { schedule } = new Client({ connection, namespace })
    const id = idOf(taskQueue)
    try {
      const action = { type: 'startWorkflow', workflowType: 'lake', workflowId: id, taskQueue } as const
      const state = { paused: true, note: `The workers of the task queue ${taskQueue} share the lake ${lake}.` }
      await schedule.create({ scheduleId: id, memo: { lake }, spec: {}, state, action })
      return lake
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error
      return String((await schedule.getHandle(id).describe()).memo?.['lake'])
    }
  } finally {
    await connection.close()
  }
}
