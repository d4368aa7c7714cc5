import { mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { exportFile } from '#bin/commands/scores/export.ts'
import { parseMacro } from '#builder/load.ts'
import { publishAll } from '#builder/publish.ts'
import { parseConfig } from '#config.ts'
import type { Lake } from '#lake/lake.ts'
import { runCommand } from '#test/bin/command.ts'
import { ask, bidModels } from '#test/builder/fixture.ts'
import { lifeOf, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'

const n_bids = parseMacro(
  'n_bids',
  `-- The bids of a market.
-- parameter: id
-- columns: n_bids
select count(*) as n_bids from staging.seen where market_id = id`,
)

const columns = { bid: 'Highest bid in US dollars a share', 'bids.n_bids': 'Number of quotes' }

async function publish(lake: Lake, n: number): Promise<void> {
  const rows = Array.from({ length: n }, (_, i) => quote('m', noon - i * 1_000_000))
  await storeRows(lake, lifeOf('0xa'), { quotes: rows })
  const settings = { models: bidModels, macros: [n_bids], columns, asOf: noon, threads: 1, memory: '512MB' }
  await publishAll(lake, { ...settings, now: () => Date.now() * 1000 })
}

/** A published lake, and a folder beside it for exported files. */
async function newExport() {
  const lake = await newLake()
  await publish(lake, 3)
  const folder = join(lake.home, 'exported')
  await mkdir(folder)
  const file = join(folder, 'own.duckdb')
  const run = (...args: string[]) => runCommand(exportFile, args, parseConfig({ TAPELINE_HOME: lake.home }))
  return { lake, folder, file, run }
}

test('an exported file needs no other, and keeps its rows after later publications', async () => {
  const { lake, folder, file, run } = await newExport()
  const { code, output } = await run(file)
  expect(code).toBe(0)
  expect(output).toMatch(/own\.duckdb: \d+ tables, 1 macros, \d+\.\d MB, as of 2026-/)
  for (const n of [5, 6]) await publish(lake, n)
  await rm(lake.local.locate('derived'), { recursive: true })
  expect(await readdir(folder)).toEqual(['own.duckdb'])
  expect(await ask(file, `select n_bids::varchar from core.n_bids('venue:m')`)).toEqual([['3']])
  expect(await ask(file, `select sum(n_bids)::varchar from marts.bids`)).toEqual([['3']])
  const comments = `select comment from duckdb_tables() where table_name in ('seen', 'bids') order by 1`
  expect(await ask(file, comments)).toEqual([['A market and its bids.'], ['A quote as of the clock.']])
  const meanings = `select column_name, comment from duckdb_columns() where table_name in ('seen', 'bids') order by all`
  expect(await ask(file, meanings)).toEqual([
    ['bid', 'Highest bid in US dollars a share'],
    ['market_id', null],
    ['market_id', null],
    ['n_bids', 'Number of quotes'],
    ['ts', null],
  ])
})

test('an existing file is refused, and replaced with --force', async () => {
  const { folder, file, run } = await newExport()
  await writeFile(file, 'mine')
  await writeFile(`${file}.wal`, 'old')
  await expect(run(file)).rejects.toThrow('the file exists; expected a new file, or --force')
  expect(await readFile(file, 'utf8')).toBe('mine')
  expect((await run(file, '--force')).code).toBe(0)
  expect(await readdir(folder)).toEqual(['own.duckdb'])
  expect(await ask(file, 'select count(*)::varchar from staging.seen')).toEqual([['3']])
})

test('a name that is taken by the time the export is complete stays as it is', async () => {
  const { folder, file, run } = await newExport()
  // No file is found behind the link, so the export begins.
  await symlink('elsewhere', file)
  await expect(run(file)).rejects.toThrow('own.duckdb: the file exists; expected a new file, or --force to replace it')
  expect(await readlink(file)).toBe('elsewhere')
  expect(await readdir(folder)).toEqual(['own.duckdb'])
})

test('a path that cannot be written is named', async () => {
  const { lake, folder, run } = await newExport()
  await expect(run(join(folder, 'none', 'own.duckdb'))).rejects.toThrow('no such folder; expected')
  await expect(run(folder, '--force')).rejects.toThrow('not a file; expected')
  const own = lake.local.locate('tapeline.duckdb')
  await expect(run(own, '--force')).rejects.toThrow("the analysts' file itself; expected")
  await rm(own)
  await expect(run(join(folder, 'own.duckdb'))).rejects.toThrow('missing; expected the analysts')
  expect(await readdir(folder)).toEqual([])
})

test('the result of an export is JSON with --json', async () => {
  const { file, run } = await newExport()
  const { code, output } = await run(file, '--json')
  expect(code).toBe(0)
  expect(JSON.parse(output)).toMatchObject({ file, n_macros: 1, n_tables: expect.any(Number) as number })
})
