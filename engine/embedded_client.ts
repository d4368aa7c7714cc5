import { startWorkflow, type Definition } from './embedded_workflow.ts'
import { AlreadyRunning, type Engine, type Run, type Start, type Workflow } from './engine.ts'
import { repeat, type Repeated } from './repeat.ts'
import { pause } from './retry.ts'
import { openRunRegistry, type RunRegistry } from './run_registry.ts'
import { createSlots, type Slots } from './slots.ts'

type LocalOptions = {
  activities: object
  /** The most concurrent calls of an activity in this process, by its name; other activities have no limit. */
  limits?: Readonly<Record<string, number>>
  /** The file of the registry, by which other processes see the runs and send them signals. */
  file: string
  /** Reports the failure of a run that will run again: a scheduled run, or one with `restartOnFailure`. */
  onError: (id: string, error: unknown) => void
}

/** Runs workflows in this process. Other processes of the same home see them, and may send them signals. */
export function openLocal({ activities, limits = {}, file, onError }: LocalOptions): Engine {
  const slots = Object.fromEntries(Object.entries(limits).map(([name, most]) => [name, createSlots(most)]))
  const runs = openRunRegistry(file)
  const localRuns = new Map<string, Run<unknown>>()
  const schedules = new Map<string, Repeated>()
  let isClosing = false

  const start = async <Args extends unknown[], Result>(
    workflow: Workflow<Args, Result>,
    options: Start<Args>,
  ): Promise<Run<Result>> => {
    const running = localRuns.get(options.id)
    if (running !== undefined) return { ...(running as Run<Result>), isOld: true }
    const run = begin(workflow, options, { activities, slots, onError })
    localRuns.set(options.id, run)
    let isLost = false
    const lose = (): Promise<void> => {
      isLost = true
      return run.cancel()
    }
    const registered = await register(runs, run, { workflow: workflow.name, lose }).catch(async (error: unknown) => {
      localRuns.delete(options.id)
      await run.cancel()
      throw error
    })
    const untilForgotten = async (): Promise<Result> => {
      const ended = run.result().catch((error: unknown) => {
        throw isLost ? new AlreadyRunning(options.id) : error
      })
      const outcome = await ended.then((value) => ({ result: value }), failureOf)
      localRuns.delete(options.id)
      await registered.end(outcome)
      return ended
    }
    const result = untilForgotten()
    // Prevents an unhandled rejection until the caller awaits `result()`.
    result.catch(() => undefined)
    const tracked = { ...run, result: () => result }
    if (localRuns.has(options.id)) localRuns.set(options.id, tracked)
    return tracked
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
    unservedQueue: async () => null,
    close: async () => {
      isClosing = true
      for (const { end } of schedules.values()) end()
      await Promise.all([...localRuns.values()].map((run) => run.cancel()))
      await Promise.allSettled([...localRuns.values()].map((run) => run.result()))
      await Promise.all([...schedules.values()].map(({ ended }) => ended))
      await runs.close()
    },
  }
}

/** The part of a run's progress that signals set. */
const steered: Definition<[], { isPaused?: boolean; rate?: number | null }> = { name: 'progress' }

/** The pause before a failed run is restarted. */
const again_ms = 10_000

function begin<Args extends unknown[], Result>(
  workflow: Workflow<Args, Result>,
  { id, args, restartOnFailure = false }: Start<Args>,
  { activities, slots, onError }: Pick<LocalOptions, 'activities' | 'onError'> & { slots: Record<string, Slots> },
): Run<Result> {
  const stop = new AbortController()
  let handle = startWorkflow(workflow, { id, args, activities, slots })
  const untilEnded = async (): Promise<Result> => {
    for (;;) {
      try {
        return await handle.result
      } catch (error) {
        if (!restartOnFailure || stop.signal.aborted) throw error
        onError(id, error)
        await pause(again_ms, stop.signal)
        const { isPaused, rate } = handle.query(steered) ?? {}
        handle = startWorkflow(workflow, { id, args, activities, slots })
        // The restarted run gets the signals of the failed run.
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
    signal: async (definition, ...signalArgs) => handle.signal(definition, ...signalArgs),
    cancel: async () => {
      stop.abort()
      handle.cancel()
    },
  }
}

/** Lets other processes see a run and send it signals. */
const register = (
  runs: RunRegistry,
  run: Run<unknown>,
  details: { workflow: string; lose: () => Promise<void> },
): ReturnType<RunRegistry['register']> =>
  runs.register({
    ...details,
    id: run.id,
    progress: () => run.query({ name: 'progress' }),
    apply: ({ name, args }) => (name === 'cancel' ? run.cancel() : run.signal({ name }, ...args)),
  })

/** The error of a run, for other processes. */
const failureOf = (error: unknown): { error: string; name: string } =>
  error instanceof Error ? { error: error.message, name: error.name } : { error: String(error), name: 'Error' }
