import { Interrupted } from '#bin/command_line/values.ts'
import { count, reportBackfill, standardError, type Output } from '#bin/report/progress.ts'
import { besideWorkers } from '#bin/report/workers.ts'
import { AlreadyRunning, NotRunning, ProcessKilled, type Engine, type Run } from '#engine/engine.ts'
import { sources as allSources } from '#sources/index.ts'
import { isoMicros } from '#time.ts'
import { backfill, progress, type BackfillRequest, type Progress } from '#workflows/backfill.ts'

/** The result of one source. If its run failed as a whole, the result is the reason alone. */
export type Outcome = { source: string } & ({ progress: Progress } | { error: string })

export type BackfillOptions = {
  engine: Pick<Engine, 'start' | 'find' | 'unservedQueue'>
  /** Counts the requests of this process; undefined if the workers of a server read the sources. */
  requests: (() => number) | undefined
  /** Why the last request of this process has failed; null if it has not. */
  fault?: () => string | null
  /** ^C: cancels the run, or ends the view of a run on a server or in another process. */
  signal: AbortSignal
  /** Runs the backfill of a source, such as to record its outcome. A backfill of another process records itself. */
  around?: (source: string, work: () => Promise<Progress>) => Promise<Progress>
  /** The output of progress; standard error by default. */
  output?: Output
  /** Awaited before each source. A rejection ends the command. */
  before?: (source: string) => Promise<unknown>
}

/**
 * Runs the backfills of several sources one after the other and reports their progress. A failed source does not stop
 * the others: later sources plan from the stored rows. A cancelled run stops all.
 */
export async function backfillSources(
  requests: readonly BackfillRequest[],
  options: BackfillOptions,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [n, request] of requests.entries()) {
    const { source } = request
    const step = requests.length > 1 ? `[${n + 1}/${requests.length}] ` : ''
    await options.before?.(source)
    try {
      outcomes.push({ source, progress: await backfillSource(request, step, options) })
    } catch (error) {
      if (isEnd(error)) throw error
      outcomes.push({ source, error: reasonOf(error) })
    }
  }
  return outcomes
}

/** Whether the command ends before the next source. */
const isEnd = (error: unknown): boolean => error instanceof NotRead || error instanceof Interrupted

/** The run is not that of this command, or another process cancelled it. */
class NotRead extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotRead'
  }
}

/** Reads a source. If its run goes to another process, or that process is killed, this one goes on with it. */
async function backfillSource(request: BackfillRequest, step: string, options: BackfillOptions): Promise<Progress> {
  for (;;) {
    try {
      return await readOrShow(request, step, options)
    } catch (error) {
      if (error instanceof ProcessKilled)
        process.stderr.write(
          `${request.source}: the process that read it was killed or stopped; this one continues it\n`,
        )
      else if (!(error instanceof AlreadyRunning)) throw error
    }
  }
}

async function readOrShow(
  request: BackfillRequest,
  step: string,
  { engine, requests, fault = () => null, signal, output = standardError, ...options }: BackfillOptions,
): Promise<Progress> {
  const { around = (_source, work) => work() } = options
  const { source } = request
  if (signal.aborted) throw cancelledAt(source)
  const run = await startOrAttach(engine, request)
  if (run.isOld) await assertSame(run, request)
  const view = () =>
    besideWorkers(engine, 'ingest', () =>
      Promise.race([reportBackfill(run, { step, output }), leaving(run.id, signal)]),
    )
  if (requests === undefined) return around(source, view)
  try {
    return await (run.isOld
      ? view()
      : around(source, () => ownRun(run, { source, step, requests, fault, signal, output })))
  } catch (error) {
    if (isEnd(error)) throw error
    if (signal.aborted) throw cancelledAt(source)
    throw isCancelled(error) ? new NotRead(`${source}: cancelled; ${continues}`) : error
  }
}

const continues = 'the same command continues it'

function cancelledAt(
  source: string,
  { units, due }: { units: number; due: number } = { units: 0, due: 0 },
): Interrupted {
  const reached = due === 0 ? '' : ` after ${count(units)} of ${count(due)} units`
  return new Interrupted(`${source}: cancelled${reached}; ${continues}`)
}

type Reporting = Required<Pick<BackfillOptions, 'signal' | 'output' | 'fault'>> & {
  source: string
  step: string
  requests: () => number
}

/** Waits for a run of this process. A paused run has no request to abort, so ^C cancels the run. */
async function ownRun(
  run: Run<Progress>,
  { source, step, requests, fault, signal, output }: Reporting,
): Promise<Progress> {
  let reached: Progress | undefined
  const cancel = (): void =>
    void run
      .query(progress)
      .then(
        (state) => (reached = state),
        () => undefined,
      )
      .finally(() => void run.cancel())
  signal.addEventListener('abort', cancel, { once: true })
  const before = requests()
  try {
    return await reportBackfill(run, { step, output, fault, requests: () => requests() - before })
  } catch (error) {
    throw signal.aborted ? cancelledAt(source, reached) : error
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** Starts the run of a request, or finds that of another process of the home. */
async function startOrAttach(engine: BackfillOptions['engine'], request: BackfillRequest): Promise<Run<Progress>> {
  const id = `backfill-${request.source}`
  for (;;) {
    try {
      return await engine.start(backfill, { id, args: [request], labels: labelsOf(request) })
    } catch (error) {
      if (!(error instanceof AlreadyRunning)) throw error
    }
    try {
      const run = (await engine.find(id)) as Run<Progress>
      // A run that has just ended has no progress.
      if ((await run.query(progress)) !== undefined) return run
    } catch (error) {
      if (!(error instanceof NotRunning)) throw error
    }
  }
}

/** The labels of the run of a request. Sources of several parts have none of them. */
function labelsOf({ source, from, to, keys }: BackfillRequest): Record<string, string> {
  const [part, ...others] = allSources.find(({ name }) => name === source)?.parts ?? []
  return {
    source,
    ...(part === undefined || others.length > 0 ? {} : { part: part.name }),
    from: isoMicros(from),
    to: isoMicros(to),
    ...(keys.length > 0 ? { keys: keys.slice(0, 10).join() } : {}),
  }
}

/** Throws unless the run of the same name has the same interval and units. The command then shows that run. */
async function assertSame(run: Run<Progress>, request: BackfillRequest): Promise<void> {
  const { from, to, isUntilNow = false, part, keys, refresh = false, acceptLoss = false } = request
  const running = await run.query(progress).catch(() => undefined)
  const isSame =
    running?.from === from &&
    running.part === part &&
    running.keys.join() === keys.join() &&
    (running.refresh ?? false) === refresh &&
    (running.acceptLoss ?? false) === acceptLoss &&
    // If both end at the present, the earlier run replaces the later one.
    (running.to === to || (isUntilNow && running.isUntilNow === true))
  if (!isSame) {
    throw new NotRead(
      `${run.id}: already running over another interval or other units; ` +
        `expected its end, or \`tapeline signal ${run.id} cancel\``,
    )
  }
  process.stderr.write(`${run.id}: already running, until ${isoMicros(running.to)}; this shows its progress\n`)
}

const leaving = (id: string, signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const leave = (): void =>
      reject(
        new Interrupted(
          `${id}: this view has ended, and ${id} still runs; \`tapeline signal ${id} cancel\` ends it, ` +
            'the same command shows it again and reads the sources after it',
        ),
      )
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
  })

/** A server wraps the error of a workflow or an activity. */
const causeOf = (error: unknown): unknown =>
  error instanceof Error && /^(WorkflowFailedError|ActivityFailure)$/.test(error.name) && error.cause !== undefined
    ? causeOf(error.cause)
    : error

const isCancelled = (error: unknown): boolean => {
  const cause = causeOf(error)
  return cause instanceof Error && cause.name === 'CancelledFailure'
}

const reasonOf = (error: unknown): string => {
  const cause = causeOf(error)
  return cause instanceof Error ? cause.message : String(cause)
}
