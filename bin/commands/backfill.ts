import { findSource } from '#activities/index.ts'
import { defineCommand } from '#bin/command_line/command.ts'
import { instantOf, UsageError } from '#bin/command_line/values.ts'
import { describeEstimates, type SourceEstimate } from '#bin/report/estimate.ts'
import { describeOutcomes } from '#bin/report/outcome.ts'
import { asJson } from '#bin/report/progress.ts'
import { withReadableHome } from '#bin/report/read_only_home.ts'
import { failingSources } from '#bin/report/rejection_rate.ts'
import { recordRun } from '#bin/report/run_history.ts'
import { backfillSources, type Outcome } from '#bin/wiring/backfill_sources.ts'
import { openEngine } from '#bin/wiring/engine.ts'
import { namedUnits } from '#bin/wiring/named_units.ts'
import { openPipeline, type Pipeline } from '#bin/wiring/pipeline.ts'
import { refuseForeignQueue } from '#bin/wiring/queue_guard.ts'
import { backfillRequests, prerequisitesOf } from '#bin/wiring/source_order.ts'
import { refuseForeignWorld } from '#bin/wiring/world_guard.ts'
import type { Config } from '#config.ts'
import type { Source } from '#ingest/source.ts'
import { sources as allSources } from '#sources/index.ts'
import { machineClock } from '#time.ts'
import type { BackfillRequest, Progress } from '#workflows/backfill.ts'

/**
 * `tapeline backfill`: reads all sources, or the named sources, over an interval. If an upstream has no time filter,
 * the interval selects the units that overlap it.
 */
export const backfill = defineCommand({
  summary:
    'Read all sources, or the named sources, over an interval. The same command continues an interrupted backfill.',
  define: (command) =>
    command
      .addArgument(
        command
          .createArgument('[source...]', 'The sources; all by default.')
          .choices(allSources.map(({ name }) => name)),
      )
      .requiredOption('--from <instant>', 'The first instant of the interval.', instantOf('--from'))
      .option('--to <instant>', 'The end of the interval; now by default.', instantOf('--to'))
      .option('--part <key>', 'Read one unit or one part of one source: a condition id, an address or a chain.')
      .option('--refresh', 'Read stored units again, also complete ones, after an upstream answered wrongly.')
      .option('--accept-loss', 'With --refresh: complete readings replace stored rows that they lack.')
      .option('--dry-run', 'Estimate requests, rows, bytes and time. Of an upstream only the head of a chain is read.')
      .option('--json', 'Write the result of each source as JSON.'),
  run: async (options, config, [names]) => {
    const { from, to: end, part, refresh = false, acceptLoss = false, dryRun: isDryRun = false, json = false } = options
    const now = machineClock()
    const to = end ?? now
    if (from >= to)
      throw new UsageError(`--from: not before ${end === undefined ? 'now' : '--to'}; expected an earlier instant`)
    if (part !== undefined && names.length !== 1)
      throw new UsageError('--part: no single source; expected one <source>')
    if (acceptLoss && !refresh) throw new UsageError('--accept-loss: without --refresh; expected both')
    const stop = new AbortController()
    process.once('SIGINT', () => stop.abort())
    const inHome = async (homeConfig: Config): Promise<number> => {
      const pipeline = await openPipeline(homeConfig, { signal: stop.signal })
      try {
        const requests = backfillRequests(pipeline.sources, { names, from, to, now }).map((request) => ({
          ...request,
          ...(refresh ? { refresh } : {}),
          ...(acceptLoss ? { acceptLoss } : {}),
          ...(end === undefined ? { isUntilNow: true } : {}),
          ...(part === undefined ? {} : namedUnits(findSource(pipeline.sources, request.source), part)),
        }))
        assertRead(names, pipeline.sources)
        if (isDryRun) return await dryRun(pipeline, requests, json)
        const read = requests.map(({ source }) => findSource(pipeline.sources, source))
        await refuseForeignWorld(pipeline.lake, config.hosts, read)
        await refuseForeignQueue(config, pipeline.lake)
        return await readAll(pipeline, requests, { config, signal: stop.signal, json })
      } finally {
        await pipeline.close()
      }
    }
    // An estimate stores nothing, so it makes no home either.
    return isDryRun ? withReadableHome(config, inHome) : inHome(config)
  },
})

/** Throws if a named source has no upstream: no chain that is read, or none in the simulated world. */
function assertRead(names: readonly string[], sources: readonly Source[]): void {
  const missing = names.find((name) => !sources.some((source) => source.name === name))
  if (missing === undefined) return
  const isOfChains = findSource(allSources, missing).parts.some(({ chain }) => chain !== undefined)
  if (isOfChains)
    throw new UsageError(`${missing}: no chain is read; expected chains in TAPELINE_CHAINS or RPC_<CHAIN>`)
}

/** `signal`: ^C. `json`: the results go to standard output as JSON. */
type Terminal = { config: Config; signal: AbortSignal; json: boolean }

async function readAll(
  pipeline: Pipeline,
  requests: readonly BackfillRequest[],
  { config, signal, json }: Terminal,
): Promise<number> {
  const begun_ms = performance.now()
  const engine = await openEngine(config, pipeline)
  try {
    const { counts } = pipeline
    const asked = config.temporal === undefined ? () => counts.requests : undefined
    const fault = () => counts.fault
    const around = (source: string, work: () => Promise<Progress>) =>
      recordRun({ home: config.home, clock: machineClock, command: 'backfill', source }, work, (figures) => figures)
    const outcomes = await backfillSources(requests, { engine, requests: asked, fault, signal, around })
    const failing = await failingSources(pipeline.lake)
    const seconds = (performance.now() - begun_ms) / 1000
    const { text, isFailed } = describeOutcomes(outcomes, { failing, seconds })
    process.stderr.write(text)
    if (json) process.stdout.write(asJson(outcomes.map(resultOf)))
    return isFailed ? 1 : 0
  } finally {
    await engine.close()
  }
}

/** The figures of a source, or its error. */
const resultOf = (outcome: Outcome): object =>
  'error' in outcome ? outcome : { ...outcome.progress, source: outcome.source }

async function dryRun(
  { activities, sources }: Pipeline,
  requests: readonly BackfillRequest[],
  json: boolean,
): Promise<number> {
  const estimates: SourceEstimate[] = []
  const due = new Set<string>()
  let isFailed = false
  for (const request of requests) {
    const { source } = request
    const after = prerequisitesOf(sources, source).filter((name) => due.has(name))
    const at = await activities.instant(source)
    for (const part of request.part === undefined ? estimatedParts(findSource(sources, source)) : [request.part]) {
      const label = part === undefined ? source : `${source} ${part}`
      try {
        const estimate = await activities.estimate({ ...request, at, ...(part === undefined ? {} : { part }) })
        estimates.push({ ...estimate, source: label, after })
        if (estimate.units > 0 || after.length > 0) due.add(source)
      } catch (error) {
        // A chain that does not answer is not estimated; the others are.
        if (part === undefined) throw error
        isFailed = true
        process.stderr.write(`${label}: ${error instanceof Error ? error.message : String(error)}\n`)
      }
    }
  }
  process.stdout.write(json ? asJson(estimates) : describeEstimates(estimates))
  return isFailed ? 1 : 0
}

/** A source of chains has an estimate for each, since their endpoints have limits of their own. */
const estimatedParts = ({ parts }: Source): (string | undefined)[] =>
  parts[0].chain === undefined ? [undefined] : parts.map(({ name }) => name)
