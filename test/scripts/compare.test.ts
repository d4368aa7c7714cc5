import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'
import Libsql from 'libsql'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { askAll, type Send } from '#scripts/compare/answers.ts'
import { describeHomes } from '#scripts/compare/describe.ts'
import { differencesOf, intendedShape, type Intended } from '#scripts/compare/differences.ts'
import type { Evidence } from '#scripts/compare/evidence.ts'
import { describeWorld } from '#scripts/compare/report.ts'

let folder: string
let n_homes = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapeline-compared-'))
  await makeHome(join(folder, 'made'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const unit = 'venue_trades/venue/one'
const lakeFile = `lake/fills/v1/${unit}.012345abcdef.parquet`
const id = 'scores-20260101T000000Z-0123abcd'
const builds = `create schema meta; create table meta.build as
  select 'traders' as name, timestamp '2026-01-01' as as_of, 2::bigint as n_rows, 'aa11' as content_hash`
const catalog = `
  create table ducklake_table (table_id, table_name, path);
  insert into ducklake_table values (1, 'fills', 'fills/v1/');
  create table ducklake_data_file (data_file_id, path, end_snapshot);
  insert into ducklake_data_file values (7, '${unit}.012345abcdef.parquet', null);
  create table tapeline_rows (unit, table_id, data_file_id, first_row, n_rows);
  insert into tapeline_rows values ('${unit}', 1, 7, 1, 2);
  create table tapeline_coverage (dataset, unit, state, n_rows, proof, reason, begin_snapshot, end_snapshot);
  insert into tapeline_coverage values ('fills', '${unit}', 'done', 2, 'two pages', null, 3, null);`

async function run(file: string, sql: string): Promise<void> {
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  await connection.run(sql)
  connection.closeSync()
  instance.closeSync()
}

/** A home with one unit of three rows, of which the last two count, and one published table. */
async function makeHome(home: string): Promise<void> {
  for (const folder of ['marts', dirname(lakeFile)]) await mkdir(join(home, folder), { recursive: true })
  const database = new Libsql(join(home, 'catalog.sqlite'))
  database.exec(catalog)
  database.close()
  const fills = `select unnest([9, 1, 2]) as price, unnest(['old', 'a', 'b']) as trader`
  await run(':memory:', `copy (${fills}) to '${join(home, lakeFile)}' (format parquet)`)
  await writeFile(join(home, 'marts/current.json'), JSON.stringify({ scores: id }))
  await run(join(home, `marts/${id}.duckdb`), builds)
  await run(
    join(home, 'tapeline.duckdb'),
    `${builds}; create schema marts; create table marts.traders as
     select unnest(['a', 'b']) as trader, unnest([1.5, 2.5]) as pnl; create table marts.markets as select 1 as id`,
  )
}

/** Two copies of that home. */
async function twoHomes(): Promise<{ before: string; after: string }> {
  const [before, after] = [join(folder, `${n_homes++}`), join(folder, `${n_homes++}`)]
  for (const home of [before, after]) await cp(join(folder, 'made'), home, { recursive: true })
  return { before, after }
}

const openApi = JSON.stringify({
  paths: {
    '/traders': {
      get: { parameters: [{ name: 'sort', in: 'query', schema: { type: 'string', enum: ['pnl', 'clv'] } }] },
      post: {},
    },
    '/trader': {
      get: { parameters: [{ name: 'address', in: 'query', required: true, schema: { type: 'string' } }] },
    },
  },
})

/** A service whose list has one trader. */
const serviceOf =
  (pnl = '1.5'): Send =>
  async (path) => {
    const headers = { etag: String(Math.random()), 'x-coverage': 'complete' }
    if (path === '/openapi.json') return new Response(openApi, { headers })
    return new Response(path.startsWith('/v1/traders') ? `[{"address":"0xa","pnl":${pnl}}]` : `{"asked":"${path}"}`, {
      headers,
    })
  }

/** The differences between two sides, with their names and reasons. */
async function differences(
  folders: { before: string; after: string },
  services: { before?: Send; after?: Send } = {},
  intended: Intended = [],
): Promise<{ lines: string[]; report: string }> {
  const described = await describeHomes(folders)
  const evidenceOf = async (side: 'before' | 'after'): Promise<Evidence> => ({
    ...described[side],
    commands: new Map([['score', '0']]),
    answers: await askAll(services[side] ?? serviceOf(), 'a key'),
  })
  const evidence = { before: await evidenceOf('before'), after: await evidenceOf('after') }
  const all = differencesOf('a world', evidence, intended)
  const lines = all.map(({ kind, name, before, after, reason }) => {
    const side = before === undefined ? ', only after' : after === undefined ? ', only before' : ''
    return `${kind}: ${name}${side}${reason === undefined ? '' : `, as ${reason}`}`
  })
  return { lines, report: describeWorld('a world', evidence, all) }
}

test('homes and services that differ by chance alone are equal', async () => {
  const folders = await twoHomes()
  const other = 'scores-20260101T000000Z-4567cdef'
  await rename(join(folders.after, `marts/${id}.duckdb`), join(folders.after, `marts/${other}.duckdb`))
  await writeFile(join(folders.after, 'marts/current.json'), JSON.stringify({ scores: other }))
  const { lines, report } = await differences(folders)
  expect(lines).toEqual([])
  expect(report).not.toMatch(/differ/i)
})

test('a changed value of a model is reported with its table and column', async () => {
  const folders = await twoHomes()
  await run(join(folders.after, 'tapeline.duckdb'), `update marts.traders set pnl = 2.6 where trader = 'b'`)
  const { lines, report } = await differences(folders)
  expect(lines).toEqual(['tables: marts.traders', 'tables: marts.traders.pnl'])
  expect(report).toMatch(/tables +\d+ +2 DIFFER\n +marts\.traders\n/)
})

test('values that are exchanged between rows are reported', async () => {
  const folders = await twoHomes()
  await run(join(folders.after, 'tapeline.duckdb'), `update marts.traders set pnl = 4 - pnl`)
  expect((await differences(folders)).lines).toEqual(['tables: marts.traders'])
})

test('a changed content hash of a published build is reported', async () => {
  const folders = await twoHomes()
  await run(join(folders.after, `marts/${id}.duckdb`), `update meta.build set content_hash = 'bb22'`)
  expect((await differences(folders)).lines).toEqual(['hashes: scores traders'])
})

test('a missing table is reported, with its columns', async () => {
  const folders = await twoHomes()
  await run(join(folders.after, 'tapeline.duckdb'), 'drop table marts.markets')
  expect((await differences(folders)).lines).toEqual([
    'columns: marts.markets.id, only before',
    'tables: marts.markets, only before',
    'tables: marts.markets.id, only before',
  ])
})

test('a column of one side is reported, and the rows are compared over the others', async () => {
  const folders = await twoHomes()
  await run(join(folders.after, 'tapeline.duckdb'), 'alter table marts.traders add column rank integer default 1')
  expect((await differences(folders)).lines).toEqual(['columns: marts.traders.rank, only after'])
})

test('a renamed path of the lake is reported, and the rows below it are the same', async () => {
  const folders = await twoHomes()
  const path = lakeFile.replace('/one.', '/two.')
  await rename(join(folders.after, lakeFile), join(folders.after, path))
  const database = new Libsql(join(folders.after, 'catalog.sqlite'))
  database.exec(`update ducklake_data_file set path = replace(path, '/one.', '/two.')`)
  database.close()
  const [old, recent] = [lakeFile, path].map((file) => file.replace('012345abcdef', '<digest>'))
  expect((await differences(folders)).lines).toEqual([
    `paths: ${old}, only before`,
    `paths: ${recent}, only after`,
    `files: ${old}, only before`,
    `files: ${recent}, only after`,
  ])
})

test('a file of the lake with other bytes is reported apart from its path', async () => {
  const folders = await twoHomes()
  const path = lakeFile.replace('012345', '543210')
  await rename(join(folders.after, lakeFile), join(folders.after, path))
  const database = new Libsql(join(folders.after, 'catalog.sqlite'))
  database.exec(`update ducklake_data_file set path = replace(path, '012345', '543210')`)
  database.close()
  expect((await differences(folders)).lines).toEqual([`files: ${lakeFile.replace('012345abcdef', '<digest>')}`])
})

test('rows of the lake that count, and the coverage of their unit, are compared', async () => {
  const folders = await twoHomes()
  const database = new Libsql(join(folders.after, 'catalog.sqlite'))
  database.exec(`update tapeline_rows set first_row = 0;
    alter table tapeline_coverage add column reason_code; update tapeline_coverage set state = 'unverified'`)
  database.close()
  expect((await differences(folders)).lines).toEqual([
    `coverage: fills ${unit}`,
    'rows: fills',
    'rows: fills.price',
    'rows: fills.trader',
    'columns: coverage.reason_code, only after',
  ])
})

test('a changed byte of an answer is reported with each request that shows it', async () => {
  const { lines } = await differences(await twoHomes(), { after: serviceOf('1.6') })
  expect(lines).toContain('answers: GET /v1/traders?sort=clv')
  expect(lines).not.toContain('answers: GET /v1/trader?address=0xa')
  expect(lines.every((line) => line.startsWith('answers: GET /v1/traders'))).toBe(true)
})

test('an intended change is told apart by its reason', async () => {
  const folders = await twoHomes()
  await run(join(folders.after, 'tapeline.duckdb'), `update marts.traders set pnl = 3; drop table marts.markets`)
  const intended = intendedShape.parse([
    { world: '*', kind: 'tables', name: 'marts.traders*', reason: 'a rounding' },
    { world: 'another', kind: '*', name: '*', reason: 'nothing here' },
  ])
  const { lines, report } = await differences(folders, {}, intended)
  expect(lines).toEqual([
    'columns: marts.markets.id, only before',
    'tables: marts.markets, only before',
    'tables: marts.markets.id, only before',
    'tables: marts.traders, as a rounding',
    'tables: marts.traders.pnl, as a rounding',
  ])
  expect(report).toContain('2 DIFFER, 2 differ as intended')
})
