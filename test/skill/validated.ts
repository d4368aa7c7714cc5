import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { DuckDBConnection } from '@duckdb/node-api'

import { tablesOf, tablesRead } from '#builder/dag.ts'
import { isMart, type SqlModel } from '#builder/model.ts'
import type { World } from '#sim/markets/types.ts'
import { createWorld } from '#sim/markets/world.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import type { Micros } from '#time.ts'
import { estimateOf, meanOf, type Estimate, type Sampled } from '#validation/bootstrap.ts'
import { evidenceOf, type Rows } from '#validation/evidence.ts'
import { isoOf, loadSelects, type Period } from '#validation/gather.ts'
import { measure, type Ranked } from '#validation/measures.ts'
import type { Evidence } from '#validation/report.ts'

import { scoreWorld, type Tamper } from './build.ts'

const day = 86_400_000_000
/** Ranks are as of this day of a world; what follows, until its `now`, is the period. */
const days = 70
const resampling = { n_resamples: 2_000, seed: 1 }

/** The figures of one world, by the later result. */
export type Figures = ReturnType<typeof measure>

/** What ranks said of what followed, in one world: of all listed traders, and of those of each kind alone. */
export type Validated = { seed: number; traders: readonly Ranked[]; measured: Figures; kinds: Record<Kind, Group> }
export const kinds = ['event_start', 'markout_24h'] as const
export type Kind = (typeof kinds)[number]
type Group = { n_traders: number; measured: Figures }

export async function validateWorld(seed: number, scale: number, isHard = false): Promise<Validated> {
  const { traders } = await gatherWorld(createWorld({ seed, scale, isHard }))
  const of = (kind: Kind): Group => {
    const own = traders.filter((one) => one.kind === kind)
    return { n_traders: own.length, measured: measure(own, { ...resampling, seed }) }
  }
  const [event_start, markout_24h] = [of('event_start'), of('markout_24h')]
  return { seed, traders, measured: measure(traders, { ...resampling, seed }), kinds: { event_start, markout_24h } }
}

export const periodOf = ({ opensAt, now }: World): Period => ({ at: opensAt + days * day, until: now })

/**
 * Ranks the traders of a world at the start of a period, of which nothing is known then, and lays beside it what came.
 * Rows of its lake may be changed.
 */
export async function gatherWorld(world: World, tamper: Tamper = async () => {}): Promise<Evidence> {
  const { at, until } = periodOf(world)
  const { before, after } = await loadSelects(at)
  const change: Tamper = async (connection) => {
    await readAccounts(connection)
    await tamper(connection)
  }
  const rows = {
    ...(await selectFrom({ world, at, tamper: change }, before)),
    ...(await selectFrom({ world, at: until, tamper: change }, after)),
  } as Rows
  return evidenceOf(rows, { at: isoOf(at), until: isoOf(until), world: 'simulated' })
}

/** A figure over worlds that were drawn apart: the mean over them, draw by draw. */
export const pooled = (worlds: readonly Validated[], of: (measured: Figures) => Sampled): Estimate => {
  const estimate = estimateOf(meanOf(worlds.map(({ measured }) => of(measured))))
  if (estimate === null) throw new Error('a world has too few traders to have the figure')
  return estimate
}

/**
 * The interval of a figure as it differs between worlds: mean and 1.96 standard errors. Traders of one world meet in
 * the same markets, which resampling them does not know.
 */
export function betweenWorlds(worlds: readonly Validated[], of: (measured: Figures) => Sampled): Estimate {
  const values = worlds.map(({ measured }) => of(measured).value)
  const value = values.reduce((sum, one) => sum + one, 0) / values.length
  const variance = values.reduce((sum, one) => sum + (one - value) ** 2, 0) / (values.length - 1)
  const half = 1.96 * Math.sqrt(variance / values.length)
  return { value, lower: value - half, upper: value + half }
}

type Tampered = { world: World; at: Micros; tamper: Tamper }

/** The rows of selects over a world as of an instant, by name. */
async function selectFrom(lake: Tampered, own: readonly SqlModel[]): Promise<Record<string, unknown>> {
  const made = new Set(own.flatMap(tablesOf))
  const read = await tablesReadBy(own)
  const wanted = read.filter((table) => !made.has(table) && table !== 'core.clock')
  return scoreWorld({ ...lake, wanted }, async (connection) => {
    const rows: Record<string, unknown> = {}
    for (const model of own) {
      const columns = model.columns.map(({ name, sql }) => `"${name}"::${sql} as "${name}"`)
      await connection.run(
        `create table ${model.layer}.${model.name} as select ${columns.join(', ')} from (${model.sql}\n)`,
      )
      const reader = await connection.runAndReadAll(`from ${model.layer}.${model.name}`)
      if (isMart(model)) rows[model.name] = reader.getRowObjectsJson()
    }
    return rows
  })
}

async function tablesReadBy(models: readonly SqlModel[]): Promise<string[]> {
  const instance = await openDuckDB({ threads: 1, memory: '100MB', scratch: join(tmpdir(), 'tapeline-selects') })
  try {
    return await withConnection(instance, async (connection) => {
      const read = await Promise.all(models.map(({ name, sql }) => tablesRead(connection, name, sql)))
      return [...new Set(read.flat())]
    })
  } finally {
    instance.closeSync()
  }
}

/** Every account was read by itself: only so is its history complete, and ranked. */
export const readAccounts = async (connection: DuckDBConnection): Promise<void> => {
  await connection.run(`insert into lake.coverage by name
    select 'activity' as dataset, trader as unit, 'polymarket' as part, trader as key, 10 as precedence, 'done' as state,
      timestamp '1970-01-01' as from_at, timestamp '2100-01-01' as to_at, 1 as n_rows, 'world' as source,
      timestamp '2100-01-01' as checked_at
    from (select distinct trader from lake.fills)`)
}
