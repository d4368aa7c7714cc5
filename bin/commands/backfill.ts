import { findSource, type Estimate } from '#activities/index.ts'
import type { Source } from '#activities/source.ts'
import { readArgs, readInstant, textOf, UsageError, type Command } from '#bin/args.ts'
import { count, reportBackfill } from '#bin/report/progress.ts'
import { failingSources } from '#bin/report/rejection_rate.ts'
import { openEngine } from '#bin/wiring/engine.ts'
import { openPipeline, type Pipeline } from '#bin/wiring/pipeline.ts'
import { refuseForeignWorld } from '#bin/wiring/world_guard.ts'
import type { Config } from '#config.ts'
import type { Run } from '#engine/engine.ts'
import { machineClock } from '#time.ts'
import { backfill as backfillWorkflow, progress, type Progress } from '#workflows/backfill.ts'

const options = {
  part: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const

/**
 * `tapeline backfill`: reads a source over an interval. Where its upstream has no time filter, the interval chooses
 * the units that lived in it.
 */
export const backfill: Command = {
  usage: 'backfill <source> [--part KEY] --from X [--to Y] [--dry-run]',
  doc: 'Read a source over an interval; may be stopped at any moment and begun again.',
  run: async (args, config) => {
    const { values, positionals } = readArgs(args, options, ['source'])
    const from = textOf(values['from'])
    if (from === undefined) throw new UsageError('--from is missing: from which instant on?')
    const to = textOf(values['to'])
    const stop = new AbortController()
    process.once('SIGINT', () => stop.abort())
    const pipeline = await openPipeline(config, { signal: stop.signal })
    try {
      const source = findSource(pipeline.sources, positionals[0] ?? '')
      const interval = {
        from: readInstant('from', from),
        to: to === undefined ? machineClock() : readInstant('to', to),
      }
      if (interval.from >= interval.to) throw new UsageError(`--from ${from} is not before --to ${to ?? 'now'}`)
      const request = { source: source.name, ...interval, keys: keysOf(source, textOf(values['part'])) }
      if (values['dry-run'] === true) return await dryRun(pipeline, request)
      return await realRun(pipeline, source, request, { config, signal: stop.signal, isUntilNow: to === undefined })
    } finally {
      await pipeline.close()
    }
  },
}

type Request = { source: string; from: number; to: number; keys: string[] }

/** `signal`: ^C. `isUntilNow`: no end was given. */
type Terminal = { config: Config; signal: AbortSignal; isUntilNow: boolean }

async function realRun(pipeline: Pipeline, source: Source, request: Request, of: Terminal): Promise<number> {
  await refuseForeignWorld(pipeline.lake, of.config.hosts, [source])
  const done = await backfillOn(of, pipeline, request)
  const failing = await failingSources(pipeline.lake)
  for (const { source: name, share } of failing.filter((row) => row.source === source.name)) {
    process.stderr.write(`${name} is failing: ${(100 * share).toFixed(1)} % of its last rows did not parse\n`)
  }
  if (done.units + done.failed === 0) process.stderr.write(`${source.name}: nothing is due in that interval\n`)
  return done.failed > 0 || failing.some((row) => row.source === source.name) ? 1 : 0
}

/** Runs it here, or has it run by the workers of a server, where ^C ends this view of it and not the backfill. */
async function backfillOn(
  { config, signal, isUntilNow }: Terminal,
  pipeline: Pipeline,
  request: Request,
): Promise<Progress> {
  const engine = await openEngine(config, pipeline)
  try {
    const run = await engine.start(backfillWorkflow, { id: `backfill-${request.source}`, args: [request] })
    if (run.isOld) await assertSame(run, request, isUntilNow)
    if (config.temporal !== undefined)
      return await Promise.race([reportBackfill(run, undefined), leaving(run.id, signal)])
    // One that is paused waits for no request that could be cut off.
    signal.addEventListener('abort', () => void run.cancel(), { once: true })
    return await reportBackfill(run, () => pipeline.counts.requests)
  } finally {
    await engine.close()
  }
}

/** One that runs already is looked at, if it is the one that was asked for. */
async function assertSame(run: Run<Progress>, { from, to, keys }: Request, isUntilNow: boolean): Promise<void> {
  const running = await run.query(progress).catch(() => undefined)
  const isSame = running?.from === from && running.keys.join() === keys.join() && (isUntilNow || running.to === to)
  if (!isSame) {
    throw new Error(`${run.id} is running over something else; wait for it, or \`tapeline signal ${run.id} cancel\``)
  }
  process.stderr.write(`${run.id} is running already: this is how it goes\n`)
}

const leaving = (id: string, signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const leave = (): void =>
      reject(new Error(`this view has ended, and ${id} goes on: \`tapeline signal ${id} cancel\` ends it`))
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
  })

async function dryRun(pipeline: Pipeline, request: Request): Promise<number> {
  const at = await pipeline.activities.instant(request.source)
  const estimate: Estimate = await pipeline.activities.estimate({ ...request, at })
  process.stdout.write(
    [
      `units     ${count(estimate.units)}`,
      `requests  ${count(estimate.requests)}`,
      `rows      ${count(estimate.rows)}`,
      `bytes     ${count(estimate.bytes)}`,
      `time      ${count(estimate.seconds)} s at the upstream's rate`,
      `basis     ${estimate.basis === 'measured' ? 'units of this source that are stored' : 'typical units; none are stored yet'}`,
      '',
    ].join('\n'),
  )
  return 0
}

/** A part is a venue, which means all of it, or the key of one unit: a condition id or an address. */
const keysOf = (source: Source, part: string | undefined): string[] =>
  part === undefined || part === source.parts[0].name
    ? []
    : [part.startsWith(`${source.parts[0].name}:`) ? part.slice(source.parts[0].name.length + 1) : part]
