import { mkdir } from 'node:fs/promises'

import { JSDuckDBValueConverter, type DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

import { datasets, type DatasetName } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { streamOf } from '#storage/stream.ts'
import { isoMicros, type Micros } from '#time.ts'

import { isSpilled, rowCount, toRows, type HeldRows, type SpilledRows, type UnitRows } from './column_batch.ts'
import { toSourceValues, withNumbers } from './source_values.ts'
import { keepBodies, type BodyKeeper } from './spilled_bodies.ts'
import { openTurns } from './turns.ts'
import { appendSpill, createSpill } from './write_rows.ts'

type Row = Record<string, unknown>

/** Takes the rows of a unit as they come. Few stay in memory; many are moved to a table, which DuckDB spills. */
export type RowKeeper = {
  keep: (name: DatasetName, rows: readonly Row[]) => Promise<void>
  /**
   * Replaces the rows so far by what `change` makes of them. It gets some rows at a time, those of a transaction or, in
   * datasets without transactions, of a market together.
   */
  change: (name: DatasetName, change: (rows: Row[]) => readonly Row[] | Promise<readonly Row[]>) => Promise<void>
  /** All rows of a dataset, with the last ones. */
  rowsOf: (name: DatasetName, last: HeldRows) => Promise<UnitRows>
  /** Rows of the upstream that are parsed later. */
  bodies: BodyKeeper
  /** Drops the tables, after the last write. */
  close: () => Promise<void>
}

/** The rows of a dataset in memory. */
const heldRows = 20_000

/** `onSpill` is called whenever rows leave the memory. */
export function keepRows(
  { writer, scratch }: Pick<Lake, 'writer' | 'scratch'>,
  onSpill: () => void = () => undefined,
): RowKeeper {
  const held = new Map<DatasetName, Row[]>()
  const spilled = new Map<DatasetName, SpilledRows>()

  const spill = async (name: DatasetName, rows: HeldRows): Promise<SpilledRows> => {
    const before = spilled.get(name)
    const connection = before?.connection ?? (await writer.connect())
    const after = { connection, n_rows: (before?.n_rows ?? 0) + rowCount(rows) }
    spilled.set(name, after)
    if (before === undefined) {
      // DuckDB creates its folder, and none above it.
      await mkdir(scratch, { recursive: true })
      await createSpill(connection, datasets[name])
    }
    await appendSpill(connection, datasets[name], rows)
    onSpill()
    return after
  }
  const keep = async (name: DatasetName, rows: readonly Row[]): Promise<void> => {
    const pending = held.get(name) ?? []
    for (const row of rows) pending.push(row)
    held.set(name, pending)
    if (pending.length < heldRows) return
    held.delete(name)
    await spill(name, pending)
  }
  const change: RowKeeper['change'] = async (name, edit) => {
    const pending = held.get(name) ?? []
    held.delete(name)
    if (!spilled.has(name)) return keep(name, await edit(pending))
    const all = await spill(name, pending)
    spilled.delete(name)
    try {
      for await (const rows of togetherOf(all, name)) await keep(name, await edit(rows))
    } finally {
      all.connection.closeSync()
    }
  }
  const { inTurn, close } = openTurns()
  const bodies = keepBodies({ writer, scratch }, onSpill)
  return {
    bodies,
    keep: (name, rows) => inTurn(() => keep(name, rows)),
    change: (name, edit) => inTurn(() => change(name, edit)),
    rowsOf: (name, last) =>
      inTurn(async () => {
        const pending = held.get(name) ?? []
        held.delete(name)
        if (!spilled.has(name)) return pending.length === 0 ? last : [...pending, ...toRows(last)]
        await spill(name, pending)
        return spill(name, last)
      }),
    close: async () => {
      await bodies.close()
      await close()
      for (const { connection } of spilled.values()) connection.closeSync()
      spilled.clear()
    },
  }
}

/**
 * The spilled rows, some thousands at a time, with all rows of a transaction or market in one part. Rows that name no
 * transaction, which may be all, are together with those of their instant.
 */
async function* togetherOf({ connection, n_rows }: SpilledRows, name: DatasetName): AsyncGenerator<Row[]> {
  const { columns, key } = datasets[name]
  const storedColumns = Object.fromEntries(Object.entries(columns).filter(([column]) => column !== 'source'))
  const names = Object.keys(storedColumns)
  const instant = instantName(name)
  const by = key.includes('tx') ? 'tx' : (key[0] ?? '')
  const order = by === 'tx' ? `tx, if(tx = '', ${instant}, null)` : `"${by}"`
  const placeOf = (row: Row | undefined): unknown => (by === 'tx' && row?.['tx'] === '' ? row[instant] : row?.[by])
  const sql = `select ${toSourceValues({ columns: storedColumns })} from rows order by ${order}`
  let rows: Row[] = []
  for await (const chunk of streamOf(connection, sql, n_rows)) {
    const more = chunk
      .convertRows(JSDuckDBValueConverter)
      .map((values): Row => Object.fromEntries(names.map((column, n) => [column, values[n]])))
    chunk.reset()
    for (const row of withNumbers({ columns: storedColumns }, more)) rows.push(row)
    const last = placeOf(rows.at(-1))
    if (rows.length < heldRows || placeOf(rows[0]) === last) continue
    const end = rows.findLastIndex((row) => placeOf(row) !== last) + 1
    yield rows.slice(0, end)
    rows = rows.slice(end)
  }
  yield rows
}

/** The column of the instant of a row. */
export const instantName = (name: DatasetName): 'ts' | 'seen_at' => ('ts' in datasets[name].columns ? 'ts' : 'seen_at')

/** The rows up to an instant (null: all), and the first instant of all rows (without one Infinity). */
export async function rowsUntil(
  name: DatasetName,
  rows: UnitRows,
  to: Micros | null,
): Promise<{ n_rows: number; oldest: Micros }> {
  const instant = instantName(name)
  if (isSpilled(rows)) return countTable(rows.connection, instant, to)
  let [n_rows, oldest] = [0, Infinity]
  for (const row of toRows(rows)) {
    const at = Number(row[instant])
    oldest = Math.min(oldest, at)
    if (to === null || at <= to) n_rows += 1
  }
  return { n_rows, oldest }
}

const counted = z.tuple([z.bigint(), z.bigint().nullable()])

async function countTable(connection: DuckDBConnection, instant: string, to: Micros | null) {
  const isIn = to === null ? 'true' : `"${instant}" <= timestamp '${isoMicros(to)}'`
  const reader = await connection.runAndReadAll(
    `select count(*) filter (${isIn}), epoch_us(min("${instant}")) from rows`,
  )
  const [n_rows, oldest] = counted.parse(reader.getRowsJS()[0])
  return { n_rows: Number(n_rows), oldest: oldest === null ? Infinity : Number(oldest) }
}

/** The rows with further ones. */
export async function withRows(name: DatasetName, rows: UnitRows, more: readonly Row[]): Promise<UnitRows> {
  if (!isSpilled(rows)) return [...more, ...toRows(rows)]
  await appendSpill(rows.connection, datasets[name], more)
  return { ...rows, n_rows: rows.n_rows + more.length }
}
