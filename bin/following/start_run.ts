import { openEngine } from '#bin/wiring/engine.ts'
import type { Config } from '#config.ts'
import { condition, defineQuery, setHandler } from '#engine/embedded_workflow.ts'
import type { Engine, Run } from '#engine/engine.ts'

/** The run that a `tapeline start` is, by which others of its home find it. */
export const startId = 'start'

/** The address at which a `tapeline start` listens; null before it listens. */
export type Served = { url: string | null }

const progress = defineQuery<Served>('progress')

async function serving(served: Served): Promise<void> {
  setHandler(progress, () => served)
  await condition(() => false)
}

/** The runs of the processes of a home, also where a server runs its workflows. */
export const openHomeRuns = ({ home }: Pick<Config, 'home'>): Promise<Engine> =>
  openEngine({ home, temporal: undefined })

/** Shows this process to others of its home. The run ends when it is cancelled. */
export const beginStart = (engine: Engine, served: Served): Promise<Run<void>> =>
  engine.start(serving, { id: startId, args: [served] })

/** The address of the `tapeline start` of another process. */
export const addressOf = async (run: Run<unknown>): Promise<string | null> => (await run.query(progress))?.url ?? null
