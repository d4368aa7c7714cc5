import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { parseColumns } from '#builder/columns.ts'
import type { ColumnValues } from '#builder/emit.ts'
import type { FoldModel } from '#builder/model.ts'
import { runFold } from '#builder/run_fold.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'

type DuckDB = Awaited<ReturnType<typeof openDuckDB>>
let duckdb: DuckDB
beforeAll(async () => {
  duckdb = await openDuckDB({ threads: 1, memory: '200MB', scratch: tmpdir() })
})
afterAll(() => duckdb.closeSync())

/** 5,000 rows are two full chunks and a part of one. */
const n_rows = 5_000
const numbers = (of: (row: number) => number): Float64Array =>
  Float64Array.from({ length: n_rows }, (_, row) => of(row))

/** Reads its whole input and emits `columns` twice. */
const foldOf = (layer: string, columns: readonly ColumnValues[]): FoldModel => ({
  kind: 'fold',
  layer: layer as FoldModel['layer'],
  name: 'doubled',
  doc: 'A fold.',
  sql: `select n from range(${n_rows}) as r (n) order by n`,
  outputs: { doubled: parseColumns(`rank; share DOUBLE${columns.length > 2 ? ', name?' : ''}`) },
  fold: async (chunks, emit) => {
    for await (const chunk of chunks) expect(chunk.rowCount).toBeGreaterThan(0)
    for (let turn = 0; turn < 2; turn++) emit('doubled', columns)
  },
})

const rowsAfter = (fold: FoldModel): Promise<unknown[][]> =>
  withConnection(duckdb, async (connection) => {
    await connection.run(`create schema ${fold.layer}`)
    await runFold(duckdb, fold)
    const reader = await connection.runAndReadAll(`from ${fold.layer}.doubled order by rowid`)
    return reader.getRows()
  })

const [ranks, shares] = [numbers((row) => row - 7), numbers((row) => (row % 5 === 0 ? Number.NaN : row / 3))]

test('columns of numbers arrive as they are emitted, past the borders of chunks', async () => {
  const expected = Array.from({ length: 2 * n_rows }, (_, row) => [ranks[row % n_rows], shares[row % n_rows]])
  expect(await rowsAfter(foldOf('staging', [ranks, shares]))).toEqual(expected)
})

test('columns of numbers stand beside texts and nulls', async () => {
  const names = Array.from({ length: n_rows }, (_, row) => (row % 3 === 0 ? null : `the name of ${row}`))
  const rows = await rowsAfter(foldOf('core', [ranks, shares, names]))
  expect(rows.map(([, , name]) => name)).toEqual([...names, ...names])
  expect(rows.map(([rank]) => rank)).toEqual([...ranks, ...ranks])
})

test('whole numbers of 64 bits, truths and codes of an ENUM arrive as they are emitted', async () => {
  const kinds = ['sale', 'merge', 'redemption']
  const amounts = BigInt64Array.from(
    { length: n_rows },
    (_, row) => (row % 2 === 0 ? 1n : -1n) * (2n ** 63n - 1n - BigInt(row)),
  )
  const fold: FoldModel = {
    ...foldOf('exact', [amounts, numbers((row) => row % 2), numbers((row) => row % 3)]),
    outputs: {
      doubled: [
        { name: 'amount', sql: 'BIGINT', isNullable: false, isKey: true },
        { name: 'is_odd', sql: 'BOOLEAN', isNullable: false, isKey: false },
        { name: 'kind', sql: `ENUM('${kinds.join("', '")}')`, isNullable: false, isKey: false },
      ],
    },
  }
  const expected = Array.from(amounts, (amount, row) => [amount, row % 2 === 1, kinds[row % 3]])
  expect(await rowsAfter(fold)).toEqual([...expected, ...expected])
})

test('numbers for a column of texts, and a code without a name, are refused', async () => {
  await expect(rowsAfter(foldOf('texts', [ranks, shares, ranks]))).rejects.toThrow(
    'column 2: type VARCHAR; expected a type of numbers',
  )
  const outputs = { doubled: [{ name: 'kind', sql: `ENUM('sale')`, isNullable: false, isKey: true }] }
  await expect(rowsAfter({ ...foldOf('codes', [numbers(() => 1)]), outputs })).rejects.toThrow(/NULL/i)
})

test('an input of other rows than its count is an error', async () => {
  const fold = { ...foldOf('metrics', [ranks, shares]), count: `select ${n_rows + 1}` }
  await expect(rowsAfter(fold)).rejects.toThrow(`input: ${n_rows} rows were read; expected ${n_rows + 1}`)
})

test('a count that fails while the fold still reads fails the fold, and nothing else', async () => {
  const stray: unknown[] = []
  const onStray = (reason: unknown): void => void stray.push(reason)
  process.on('unhandledRejection', onStray)
  const fold: FoldModel = {
    ...foldOf('counted', [ranks, shares]),
    count: `select error('no memory for the count')`,
    fold: async (chunks) => {
      for await (const chunk of chunks) await sleep(chunk.rowCount > 0 ? 100 : 0)
    },
  }
  await expect(rowsAfter(fold)).rejects.toThrow('no memory for the count')
  process.off('unhandledRejection', onStray)
  expect(stray).toEqual([])
})

test('a number that is not whole is refused where the column is', async () => {
  const fold = foldOf('marts', [numbers((row) => row + 0.5), shares])
  await expect(rowsAfter(fold)).rejects.toThrow('not an integer')
})
