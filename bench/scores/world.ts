import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { DuckDBConnection } from '@duckdb/node-api'

import type { Limits } from '#bench/fold/generated_file.ts'
import { commitUnits, type NewFile } from '#lake/catalog/commit_units.ts'
import { toCoverageRow } from '#lake/catalog/coverage_rows.ts'
import { datasets, type Coverage } from '#lake/datasets/index.ts'
import { openLake } from '#lake/lake.ts'
import { lakeTable } from '#lake/sql.ts'
import { writeParquet } from '#lake/units/write_parquet.ts'
import { columnTypes } from '#lake/units/write_rows.ts'
import { withConnection } from '#storage/duckdb.ts'

import { as_of, files as filesOf, tables } from './rows.ts'

/** Changes with the rows, so that a home with other rows is not reused. */
const version = 2
const source = 'world'

/**
 * A home whose lake has `n` generated fills, with their markets, quotes and resolutions. It is made once and stays in
 * the temporary folder. Benchmarks copy it.
 */
export async function fillsHome(n: number, limits: Limits): Promise<string> {
  const home = join(tmpdir(), 'tapeline-bench', `scores-${n}-v${version}`)
  if (existsSync(home)) return home
  const unfinished = `${home}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  const lake = await openLake(unfinished, limits)
  try {
    await withConnection(lake.writer, async (connection) => {
      for (const table of tables(n)) await connection.run(table)
      const files: NewFile[] = []
      for (const [index, { name, rows }] of filesOf(n).entries()) {
        const dataset = Object.values(datasets).find((one) => one.name === name)
        if (dataset === undefined) throw new Error(`dataset ${name}: unknown; expected one of the lake`)
        // Optional columns that the rows lack are null.
        await connection.run(`create temp table if not exists no_${name} (${columnTypes(dataset)})`)
        const select = `select * from (${rows}) union all by name from no_${name}`
        const { body, ...written } = await writeParquet(connection, lake.scratch, dataset, { select, metadata: '' })
        const unit = `${source}/polymarket/${name}-${index}`
        const path = `${unit}.parquet`
        await lake.storage.put(`${lakeTable(name).root}/${path}`, body)
        files.push({ ...written, dataset: name, path, source, units: [{ unit, n_rows: written.n_rows }] })
      }
      const coverage = [...new Set(files.map(({ dataset }) => dataset)), 'activity'].map((dataset) =>
        covered(dataset, ''),
      )
      coverage.push(...(await accountsOf(connection)).map((trader) => covered('activity', trader)))
      const rows = coverage.map(toCoverageRow)
      const units = [
        ...new Set([...rows.map(({ unit }) => unit), ...files.flatMap((file) => file.units[0]?.unit ?? [])]),
      ]
      await commitUnits(lake.catalog, { units, files, coverage: rows })
    })
  } finally {
    await lake.close()
  }
  await rename(unfinished, home)
  return home
}

/** The traders whose account activity counts as read: every tenth. */
async function accountsOf(connection: DuckDBConnection): Promise<string[]> {
  const reader = await connection.runAndReadAll(
    `select distinct trader from takers where hash(trader) % 10 = 0 order by trader`,
  )
  return reader.getRows().map(([trader]) => String(trader))
}

const covered = (dataset: string, key: string): Coverage => ({
  dataset,
  unit: `${source}/polymarket/${dataset}${key}`,
  part: 'polymarket',
  key,
  precedence: 10,
  state: 'done',
  from_at: 0,
  to_at: as_of + 1,
  n_rows: 1,
  n_read: 1,
  n_rejected: 0,
  digest: null,
  source,
  asked: [],
  verified: [],
  proof: null,
  reason: null,
  reason_code: null,
  gaps: null,
  resume: null,
  from_block: null,
  to_block: null,
  upstream_at: null,
  checked_at: as_of,
})
