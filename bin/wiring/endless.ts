import { reportRuns } from '#bin/report/runs.ts'
import { watchWorkers } from '#bin/report/workers.ts'
import type { Config } from '#config.ts'
import { AlreadyRunning, type Engine, type Queue, type Run } from '#engine/engine.ts'

import { openAccountsOf } from './accounts.ts'
import { endWith, openEngine } from './engine.ts'
import { openHomeRuns, runningElsewhere, showUntilEnd } from './home_runs.ts'
import { openPipeline, type Pipeline, type PipelineOptions } from './pipeline.ts'
import { refuseForeignQueue } from './queue_guard.ts'
import { requestedAccounts } from './service.ts'
import { refuseForeignWorld } from './world_guard.ts'

/** The runs of a command that has no end, such as a follow. */
export type Endless = {
  /** The name of the command, and the run by which other processes of the home find it. */
  name: string
  firstId: string
  queue: Queue
  start: (engine: Engine, pipeline: Pipeline) => Promise<Run<never>[]>
  /** Is said if an option of the command has no effect, since its runs exist already; empty: no option was given. */
  ignored: string
  /** Whether no progress is shown. */
  isQuiet?: boolean
  /** The clock of a simulated world, and what takes the reports of builds. */
  options?: Pick<PipelineOptions, 'clock' | 'speed' | 'keepSnapshots_ms' | 'onBuild'>
  /** Begins what runs beside the runs in this process, and returns the function that ends it. */
  beside?: (pipeline: Pipeline) => Promise<() => Promise<void>>
  /** Is called when the runs of this process have ended. On a server they go on. */
  ended?: (pipeline: Pipeline) => Promise<void>
}

/**
 * Runs an endless command until `stopped`: it starts its runs, or shows those that another process of the home has. On
 * a server it starts them there, and shows them.
 */
export async function runEndless(config: Config, endless: Endless, stopped: Promise<void>): Promise<void> {
  if (config.temporal !== undefined) return runHere(config, endless, stopped)
  if (await hasShownFirst(config, endless, stopped)) return
  await runHere(config, endless, stopped).catch(async (error: unknown) => {
    // Another process began at the same instant, or while this one was stopped.
    if (!(error instanceof AlreadyRunning) || !(await hasShownFirst(config, endless, stopped))) throw error
  })
}

async function runHere(config: Config, endless: Endless, stopped: Promise<void>): Promise<void> {
  const ending = new AbortController()
  const close: (() => Promise<unknown>)[] = []
  try {
    const accounts = await openAccountsOf(config)
    close.unshift(() => accounts.destroy())
    const options = { ...endless.options, signal: ending.signal, requests: requestedAccounts(accounts) }
    const pipeline = await openPipeline(config, options)
    close.unshift(pipeline.close)
    if (config.temporal === undefined) close.unshift(async () => endless.ended?.(pipeline))
    await refuseForeignWorld(pipeline.lake, config.hosts, pipeline.sources)
    await refuseForeignQueue(config, pipeline.lake)
    const engine = await openEngine(config, pipeline)
    close.unshift(endWith(ending, engine))
    const runs = await endless.start(engine, pipeline)
    if (runs.some(({ isOld }) => isOld)) process.stderr.write(endless.ignored)
    if (endless.beside !== undefined) close.unshift(await endless.beside(pipeline))
    await showRuns(engine, { ...endless, runs, isRemote: config.temporal !== undefined, stopped })
  } finally {
    for (const end of close) await end()
  }
}

type Shown = Pick<Endless, 'name' | 'queue' | 'isQuiet'> & {
  runs: readonly Run<never>[]
  isRemote: boolean
  stopped: Promise<void>
}

/** Reports the progress of the runs until ^C, or until another process has begun one of them. */
async function showRuns(
  engine: Engine,
  { name, queue, isQuiet = false, runs, isRemote, stopped }: Shown,
): Promise<void> {
  if (isRemote && !isQuiet)
    process.stderr.write(`the runs are on the server: ^C ends this view, \`tapeline ${name} --stop\` ends them\n`)
  const stopReporting = isQuiet ? undefined : reportRuns(engine)
  const endWatch = watchWorkers(engine, queue)
  try {
    await (isRemote ? stopped : Promise.race([stopped, untilLost(runs)]))
  } finally {
    await endWatch()
    await stopReporting?.()
  }
}

/** Rejects with {@link AlreadyRunning} once another process has begun one of the runs. */
const untilLost = (runs: readonly Run<never>[]): Promise<never> =>
  new Promise((_, reject) => {
    for (const run of runs)
      run.result().catch((error: unknown) => {
        if (error instanceof AlreadyRunning) reject(error)
      })
  })

/** Shows the runs of another process of the home until their end; false if there is none. */
async function hasShownFirst(config: Config, endless: Endless, stopped: Promise<void>): Promise<boolean> {
  const runs = await openHomeRuns(config)
  try {
    const first = await runningElsewhere(runs, endless.firstId)
    if (first === undefined) return false
    process.stderr.write(endless.ignored)
    await showUntilEnd(runs, first, stopped)
    return true
  } finally {
    await runs.close()
  }
}

/** Ends the runs of a command on a server, and names them. */
export async function stopEndless(config: Config, stop: (engine: Engine) => Promise<string[]>): Promise<void> {
  const engine = await openEngine(config)
  try {
    const ended = await stop(engine)
    process.stdout.write(ended.length === 0 ? 'nothing was running\n' : `ended ${ended.join(', ')}\n`)
  } finally {
    await engine.close()
  }
}
