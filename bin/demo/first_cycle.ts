import { describeOutcomes } from '#bin/report/outcome.ts'
import { count, type Output } from '#bin/report/progress.ts'
import { failingSources } from '#bin/report/rejection_rate.ts'
import { backfillSources } from '#bin/wiring/backfill_sources.ts'
import type { Pipeline } from '#bin/wiring/pipeline.ts'
import { backfillRequests, showsPresent } from '#bin/wiring/source_order.ts'
import type { Engine } from '#engine/engine.ts'
import { HOUR } from '#time.ts'
import { backfill, type Progress } from '#workflows/backfill.ts'

import type { DemoWorld } from './world.ts'

/** The hours before the start whose odds are read: a move is compared with at least 24 earlier hours. */
const oddsHours = 30

type Say = (text: string) => void
type Cycle = Pick<DemoWorld, 'upstream' | 'chains'> & { say: Say; signal: AbortSignal }

/**
 * One full cycle: the odds of each of the last hours as they pass, a backfill of every source, all tables, and the
 * signals of the last hour. The chains are made while the venues are read. Reports each part in a line.
 */
export async function runFirstCycle(pipeline: Pipeline, engine: Engine, cycle: Cycle): Promise<void> {
  const { say } = cycle
  await timed(say, 'past odds', async () => `${count(await readPastOdds(pipeline, engine, cycle.upstream))} rows`)
  await readSources(pipeline, engine, cycle)
  await timed(say, 'tables', async () => {
    const asOf = cycle.upstream.now
    const { tables } = await pipeline.build({ kind: 'publishAll', asOf })
    // Signals are found against published scores, so the first pulse has none.
    await pipeline.build({ kind: 'publish', name: 'pulse', asOf })
    return `${count(tables.length)} published`
  })
}

/**
 * Reads the odds of each of the last hours, as a follow would have. Venues show no odds of the past, so the clock of
 * the world stands at each hour in turn. Returns the number of rows.
 */
async function readPastOdds({ sources }: Pipeline, engine: Engine, { now, set }: Cycle['upstream']): Promise<number> {
  const ofOdds = sources.filter((source) => showsPresent(source) && source.datasets.includes('quotes'))
  const pulled = ofOdds.filter(({ kind }) => kind !== 'stream')
  let rows = 0
  for (let hours = oddsHours; hours > 0; hours--) {
    const at = now - hours * HOUR
    await set(at)
    for (const { name } of pulled) {
      const request = { source: name, from: at, to: at, keys: [] }
      rows += (await (await engine.start(backfill, { id: `backfill-${name}`, args: [request] })).result()).rows
    }
  }
  await set(now)
  return rows
}

async function readSources({ counts, lake, sources }: Pipeline, engine: Engine, cycle: Cycle): Promise<void> {
  const { upstream, chains, say, signal } = cycle
  const ofChains = new Set(sources.filter(({ parts }) => parts.some(({ chain }) => chain)).map(({ name }) => name))
  let made: Promise<void> | undefined
  const begun_ms = performance.now()
  const groups = reportGroups(say)
  const outcomes = await backfillSources(backfillRequests(sources, { names: [], from: 0, to: upstream.endsAt }), {
    engine,
    requests: () => counts.requests,
    signal,
    output: silent,
    before: async (name) => {
      if (ofChains.has(name)) await (made ??= chains.made.then(say))
    },
    around: groups.around,
  })
  groups.end()
  const seconds = (performance.now() - begun_ms) / 1000
  const { text, isFailed } = describeOutcomes(outcomes, { failing: await failingSources(lake), seconds })
  if (isFailed) throw new Error(`backfill: sources failed; expected all sources to be read\n${text}`)
}

const silent: Output = { isTerminal: false, write: () => undefined }

const line = (name: string, what: string, ms: number): string =>
  `  ${name.padEnd(12)}${what} in ${(ms / 1000).toFixed(1)} s`

async function timed(say: Say, name: string, work: () => Promise<string>): Promise<void> {
  const begun_ms = performance.now()
  say(line(name, await work(), performance.now() - begun_ms))
}

/** Adds the rows of the sources of a group, whose names begin alike, and reports a group once the next one begins. */
function reportGroups(say: Say) {
  let group: { name: string; rows: number; ms: number } | undefined
  const end = (): void => {
    if (group !== undefined) say(line(group.name, `${count(group.rows)} rows`, group.ms))
    group = undefined
  }
  const around = async (source: string, work: () => Promise<Progress>): Promise<Progress> => {
    const [name = ''] = source.split('_')
    if (group?.name !== name) end()
    group ??= { name, rows: 0, ms: 0 }
    const begun_ms = performance.now()
    const progress = await work()
    group.rows += progress.rows
    group.ms += performance.now() - begun_ms
    return progress
  }
  return { around, end }
}
