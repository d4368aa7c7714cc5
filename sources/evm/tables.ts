import type { ColumnBatch } from '#lake/units/column_batch.ts'
import type { Micros } from '#time.ts'

import type { SwapEvent, TransferEvent } from './decode/index.ts'

/** Where a log is: its chain, block, transaction and position in the block. `ts` is the time of the block. */
export type Place = { chain: string; block: number; tx_index: number; tx: string; log_index: number; ts: Micros }

/** Rows of a dataset as columns. */
export type Table<R> = { push: (place: Place, row: R) => void; batch: () => ColumnBatch }

/** A swap event with the contract that emitted it. */
export type EmittedSwap = { event: SwapEvent; emitter: string }

/** Swaps as columns. Written out, because reading columns by their names costs more than decoding the log. */
export function openSwaps(): Table<EmittedSwap> {
  const columns = {
    ...placeColumns(),
    family: [] as string[],
    pool: [] as (string | null)[],
    coin0_index: [] as (number | null)[],
    coin1_index: [] as (number | null)[],
    token0: [] as (string | null)[],
    token1: [] as (string | null)[],
    amount0: [] as (bigint | null)[],
    amount1: [] as (bigint | null)[],
    sender: [] as (string | null)[],
    recipient: [] as (string | null)[],
    trader: [] as (string | null)[],
    sqrt_price: [] as (string | null)[],
    liquidity: [] as (string | null)[],
    emitter: [] as (string | null)[],
  }
  return {
    push: (place, { event: row, emitter }) => {
      pushPlace(columns, place)
      columns.family.push(row.family)
      columns.pool.push(row.pool)
      columns.coin0_index.push(row.coin0_index)
      columns.coin1_index.push(row.coin1_index)
      columns.token0.push(row.token0)
      columns.token1.push(row.token1)
      columns.amount0.push(row.amount0)
      columns.amount1.push(row.amount1)
      columns.sender.push(row.sender)
      columns.recipient.push(row.recipient)
      columns.trader.push(row.trader)
      columns.sqrt_price.push(row.sqrt_price)
      columns.liquidity.push(row.liquidity)
      columns.emitter.push(emitter === row.pool ? null : emitter)
    },
    batch: () => ({ n_rows: columns.ts.length, columns }),
  }
}

/** A transfer of any kind of the dataset. */
type Movement = Omit<TransferEvent, 'kind'> & { kind: string }

/** Transfers as columns, which are as many as the swaps. */
export function openTransfers(): Table<Movement> {
  const columns = {
    ...placeColumns(),
    kind: [] as string[],
    token: [] as string[],
    sender: [] as string[],
    recipient: [] as string[],
    amount: [] as bigint[],
  }
  return {
    push: (place, row) => {
      pushPlace(columns, place)
      columns.kind.push(row.kind)
      columns.token.push(row.token)
      columns.sender.push(row.sender)
      columns.recipient.push(row.recipient)
      columns.amount.push(row.amount)
    },
    batch: () => ({ n_rows: columns.ts.length, columns }),
  }
}

type PlaceColumns = ReturnType<typeof placeColumns>
const placeColumns = () => ({
  chain: [] as string[],
  block: [] as number[],
  tx_index: [] as number[],
  tx: [] as string[],
  log_index: [] as number[],
  ts: [] as Micros[],
})

function pushPlace(columns: PlaceColumns, { chain, block, tx_index, tx, log_index, ts }: Place): void {
  columns.chain.push(chain)
  columns.block.push(block)
  columns.tx_index.push(tx_index)
  columns.tx.push(tx)
  columns.log_index.push(log_index)
  columns.ts.push(ts)
}

const ofPlace: Record<string, true> = { chain: true, block: true, tx_index: true, tx: true, log_index: true, ts: true }

/** Rows of any dataset, by the names of its columns. */
export function openRows(names: readonly string[]): Table<Record<string, unknown>> {
  const columns = names
    .filter((name) => name !== 'source')
    .map((name) => ({ name: name as keyof Place, isPlace: ofPlace[name] === true, values: [] as unknown[] }))
  let n_rows = 0
  return {
    push: (place, row) => {
      n_rows++
      for (const { name, isPlace, values } of columns) values.push(isPlace ? place[name] : (row[name] ?? null))
    },
    batch: () => ({ n_rows, columns: Object.fromEntries(columns.map(({ name, values }) => [name, values])) }),
  }
}
