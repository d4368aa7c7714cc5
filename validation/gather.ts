import { readFile, rm } from 'node:fs/promises'

import { z } from 'zod'

import { buildMarts } from '#builder/build.ts'
import { parseModel } from '#builder/load.ts'
import { isMart, type Model, type SqlModel } from '#builder/model.ts'
import type { BuildSettings } from '#builder/prepare.ts'
import type { Lake } from '#lake/lake.ts'
import { anonymousVenues } from '#registry/venues/index.ts'
import { literal, openDuckDB, withConnection } from '#storage/duckdb.ts'
import { type Micros, isoMicros } from '#time.ts'

import { evidenceOf, selects, type Rows } from './evidence.ts'
import type { Evidence } from './report.ts'

/** The period from the instant of the ranks to another. */
export type Period = { at: Micros; until: Micros }

/** Gathers the ranks at the start of a period and the results in it from the lake. It publishes nothing. */
export async function gather(
  lake: Lake,
  { at, until }: Period,
  settings: Omit<BuildSettings, 'asOf'>,
): Promise<Evidence> {
  const models = await loadSelects(at)
  const list = settings.models.filter((model) => isMart(model) && ['pm_traders', 'clv_guards'].includes(model.name))
  const before = await buildApart(lake, { ...settings, asOf: at }, [...list, ...models.before], selects.before)
  const after = await buildApart(lake, { ...settings, asOf: until }, models.after, selects.after)
  const rows = Object.fromEntries([...before, ...after]) as Rows
  return evidenceOf(rows, { at: isoOf(at), until: isoOf(until), world: (await lake.world()) ?? 'real' })
}

export const isoOf = (at: Micros): string => new Date(at / 1000).toISOString().replace('.000Z', 'Z')

/** The instant up to which the fills of the markets were read; undefined without any. */
export async function readUntil(lake: Lake): Promise<Micros | undefined> {
  // Trades are known up to the last reading of the markets or of a feed. Accounts are read at other times. If all
  // markets are closed, trades are known up to the last search for new markets. Anonymous venues name no traders.
  const anonymous = anonymousVenues.map(({ id }) => literal(id)).join()
  const sql = `select epoch_us(coalesce(
      max(to_at) filter (dataset = 'fills' and source not in (select source from lake.coverage where dataset = 'activity')),
      max(to_at) filter (dataset = 'markets' and exists (from lake.coverage where dataset = 'fills'))
    )) as reached
    from lake.coverage where state in ('done', 'head', 'unverified', 'quarantined') and part not in (${anonymous})`
  const [coverage] = await lake.read(({ query }) => query(sql, z.object({ reached: z.bigint().nullable() })))
  return coverage === undefined || coverage.reached === null ? undefined : Number(coverage.reached)
}

const folder = new URL('./sql/', import.meta.url)

/** The selects of `validation/sql` as models: some as of the start of a period, the rest as of its end. */
export async function loadSelects(at: Micros): Promise<{ before: SqlModel[]; after: SqlModel[] }> {
  const load = async (name: string): Promise<SqlModel> =>
    parseModel('marts', name, await readFile(new URL(`${name}.sql`, folder), 'utf8'))
  const period = `-- The period of the results.
-- columns: from_at;
select timestamp ${literal(isoMicros(at))} as from_at`
  return {
    before: await Promise.all(selects.before.map(load)),
    after: [parseModel('core', 'period', period), ...(await Promise.all(selects.after.map(load)))],
  }
}

/**
 * The rows of marts as of an instant, by name. They are built with their inputs only and without stored files, as a
 * pulse is.
 */
async function buildApart(
  lake: Lake,
  settings: BuildSettings,
  extraModels: readonly Model[],
  names: readonly string[],
): Promise<Map<string, unknown[]>> {
  const base = settings.models.filter((model) => !isMart(model))
  const models = [
    ...base,
    ...extraModels.map((model): Model => (isMart(model) ? { ...model, publication: 'pulse' } : model)),
  ]
  const { file } = await buildMarts(lake, 'pulse', { ...settings, models })
  try {
    return await readTables(lake, file, names, settings)
  } finally {
    await rm(file, { force: true })
  }
}

async function readTables(
  { scratch }: Lake,
  file: string,
  names: readonly string[],
  { threads, memory }: BuildSettings,
): Promise<Map<string, unknown[]>> {
  const instance = await openDuckDB({ threads, memory, scratch })
  try {
    return await withConnection(instance, async (connection) => {
      await connection.run(`attach ${literal(file)} as built (read_only)`)
      const tables = new Map<string, unknown[]>()
      for (const name of names) {
        tables.set(name, (await connection.runAndReadAll(`from built.marts.${name}`)).getRowObjectsJson())
      }
      return tables
    })
  } finally {
    instance.closeSync()
  }
}
