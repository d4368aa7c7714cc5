import type { Emit, ModelColumn } from '#models/model.ts'

import { isWide, type Amount } from './amount.ts'
import type { Leg } from './input.ts'
import type { Lot } from './lot.ts'

/** What a lot gave to: a sale, a transfer out, a carry to another address of the owner, a round trip. */
export const disposalKinds = ['sale', 'transfer', 'carry', 'arbitrage'] as const
export type DisposalKind = (typeof disposalKinds)[number]

/** The output of the ledger; `flush` writes the remaining rows. Dollars are whole millionths, NaN where not priced. */
export type Journal = {
  lot: (wallet: number, token: number, lot: Lot) => void
  disposed: (disposal: Disposal, leg: Leg, lot: Lot, amount: Amount) => void
  unmatched: (wallet: number, kind: DisposalKind, leg: Leg, amount: Amount, proceeds: number) => void
  flush: () => void
}

/** The part of a disposal that one lot took, beside its amount. */
export type Disposal = { wallet: number; kind: DisposalKind; proceeds: number; gas: number; cost: number }

const table = (names: string): ModelColumn[] =>
  names.split(' ').map((name) => ({
    name,
    sql: name.endsWith('wide') ? 'VARCHAR' : /_index$|^lot$|^origin$|^kind$/.test(name) ? 'INTEGER' : 'DOUBLE',
    isNullable: name.endsWith('wide'),
    isKey: name.endsWith('_index'),
  }))

/** The tables of the ledger, which `core.lots`, `core.disposals` and `core.unmatched` decode. */
export const outputs = {
  lot_rows: table(
    'wallet_index token_index lot event_index origin since high low wide left_high left_low left_wide cost cost_left',
  ),
  lot_disposals: table('wallet_index token_index event_index lot kind since high low wide proceeds gas cost'),
  lot_unmatched: table('wallet_index token_index event_index kind high low wide proceeds'),
}

/** The number of rows in a batch: small enough for the young generation of the garbage collector. */
const batchRows = 2048

export function openJournal(emit: Emit): Journal {
  const lots = batches('lot_rows', emit)
  const disposals = batches('lot_disposals', emit)
  const rests = batches('lot_unmatched', emit)
  return {
    lot: (wallet, token, { number, event, origin, since, amount, left, cost, costLeft }) => {
      lots.numbers(wallet, token, number, event, origin, since)
      lots.amount(amount)
      lots.amount(left)
      lots.numbers(cost, costLeft)
      lots.end()
    },
    disposed: ({ wallet, kind, proceeds, gas, cost }, { token, event }, lot, amount) => {
      disposals.numbers(wallet, token, event, lot.number, disposalKinds.indexOf(kind), lot.since)
      disposals.amount(amount)
      disposals.numbers(proceeds, gas, cost)
      disposals.end()
    },
    unmatched: (wallet, kind, { token, event }, amount, proceeds) => {
      rests.numbers(wallet, token, event, disposalKinds.indexOf(kind))
      rests.amount(amount)
      rests.numbers(proceeds)
      rests.end()
    },
    flush: () => [lots, disposals, rests].forEach((batch) => batch.flush()),
  }
}

type Batch = {
  numbers: (...values: number[]) => void
  amount: (amount: Amount) => void
  end: () => void
  flush: () => void
}

/** Collects rows column by column. */
function batches(output: keyof typeof outputs, emit: Emit): Batch {
  let columns: unknown[][] = outputs[output].map(() => [])
  let n_rows = 0
  let place = 0
  const add = (value: unknown): void => {
    columns[place++]?.push(value)
  }
  const flush = (): void => {
    if (n_rows > 0) emit(output, columns)
    columns = outputs[output].map(() => [])
    n_rows = 0
  }
  return {
    numbers: (...values) => values.forEach(add),
    amount: (amount) => {
      const is_wide = isWide(amount)
      add(is_wide ? Number.NaN : amount.high)
      add(is_wide ? Number.NaN : amount.low)
      add(is_wide ? String(amount.wide) : null)
    },
    end: () => {
      place = 0
      if (++n_rows === batchRows) flush()
    },
    flush,
  }
}
