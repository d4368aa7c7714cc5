import { startWorkflow, type Definition } from './embedded_workflow.ts'
import type { Engine, Run, Start, Workflow } from './engine.ts'
import { repeat, type Repeated } from './repeat.ts'
import { pause } from './retry.ts'
import { openRunRegistry, type RunRegistry } from './run_registry.ts'

type LocalOptions = {
  activities: object
  /** Where runs are told to other processes, and orders of theirs are found. */
  folder: string
  /** Of a run that is scheduled or endless, and is tried again. */
  onError: (id: string, error: unknown) => void
}

/** Runs workflows in this process. Other processes of the same home see them, and may give them orders. */
export function openLocal({ activities, folder, onError }: LocalOptions): Engine {
  const runs = openRunRegistry(folder)
  const own = new Map<string, Run<unknown>>()
  const schedules = new Map<string, Repeated>()
  let isClosing = false

  const start = async <Args extends unknown[], Result>(
    workflow: Workflow<Args, Result>,
    of: Start<Args>,
  ): Promise<Run<Result>> => {
    const running = own.get(of.id)
    if (running !== undefined) return { ...(running as Run<Result>), isOld: true }
    const run = begin(workflow, of, { activities, onError })
    own.set(of.id, run)
    const told = await tell(runs, run, workflow.name).catch(async (error: unknown) => {
      own.delete(of.id)
      await run.cancel()
      throw error
    })
    const untilForgotten = async (): Promise<Result> => {
      try {
        return await run.result()
      } finally {
        own.delete(of.id)
        await told.end()
      }
    }
    const result = untilForgotten()
    // Whoever started it asks for the result, perhaps later: until then its failure is nobody's.
    result.catch(() => undefined)
    const known = { ...run, result: () => result }
    if (own.has(of.id)) own.set(of.id, known)
    return known
  }

  return {
    start,
    schedule: async (workflow, { id, every_ms, args }) => {
      schedules.get(id)?.end()
      const round = async (): Promise<void> => {
        try {
          await (await start(workflow, { id, args })).result()
        } catch (error) {
          if (!isClosing) onError(id, error)
        }
      }
      schedules.set(id, repeat(every_ms, round))
    },
    unschedule: async (id) => {
      schedules.get(id)?.end()
      schedules.delete(id)
    },
    list: () => runs.list(),
    find: (id) => runs.find(id),
    close: async () => {
      isClosing = true
      for (const { end } of schedules.values()) end()
      await Promise.all([...own.values()].map((run) => run.cancel()))
      await Promise.allSettled([...own.values()].map((run) => run.result()))
      await Promise.all([...schedules.values()].map(({ ended }) => ended))
    },
  }
}

/** What a run tells of how it is steered. */
const steered: Definition<[], { isPaused?: boolean; rate?: number | null }> = { name: 'progress' }

/** How long what goes on for ever rests after it failed. */
const again_ms = 10_000

function begin<Args extends unknown[], Result>(
  workflow: Workflow<Args, Result>,
  { id, args, restartOnFailure = false }: Start<Args>,
  { activities, onError }: Pick<LocalOptions, 'activities' | 'onError'>,
): Run<Result> {
  const stop = new AbortController()
  let handle = startWorkflow(workflow, { args, activities })
  const untilEnded = async (): Promise<Result> => {
    for (;;) {
      try {
        return await handle.result
      } catch (error) {
        if (!restartOnFailure || stop.signal.aborted) throw error
        onError(id, error)
        await pause(again_ms, stop.signal)
        const { isPaused, rate } = handle.query(steered) ?? {}
        handle = startWorkflow(workflow, { args, activities })
        // How it was steered outlives its failure.
        if (isPaused === true) handle.signal({ name: 'pause' })
        if (typeof rate === 'number') handle.signal({ name: 'rate' }, rate)
      }
    }
  }
  const result = untilEnded()
  result.catch(() => undefined)
  return {
    id,
    isOld: false,
    result: () => result,
    query: async (definition) => handle.query(definition),
    signal: async (definition, ...given) => handle.signal(definition, ...given),
    cancel: async () => {
      stop.abort()
      handle.cancel()
    },
  }
}

/** Lets other processes see a run and steer it. Where one of theirs has its name, it gets a name of its own. */
async function tell(runs: RunRegistry, run: Run<unknown>, workflow: string): Promise<{ end: () => Promise<void> }> {
  const isTaken = (await runs.list()).some(({ id }) => id === run.id)
  const id = isTaken ? `${run.id}-${process.pid}` : run.id
  const progress = (): Promise<unknown> => run.query({ name: 'progress' })
  return runs.register({ id, workflow, progress }, ({ name, args }) =>
    name === 'cancel' ? run.cancel() : run.signal({ name }, ...args),
  )
}
