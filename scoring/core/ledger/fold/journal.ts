import type { Emit, ModelColumn } from '#builder/model.ts'

import { openBatch, type Batch } from './batch.ts'
import { realizationKinds, type Journal } from './entry.ts'
import type { Position } from './position.ts'

/** The columns of an output from their types: first the key, then the rest. */
const table = (key: Record<string, string>, rest: Record<string, string>): ModelColumn[] =>
  [key, rest].flatMap((columns, index) =>
    Object.entries(columns).map(([name, sql]) => ({ name, sql, isNullable: false, isKey: index === 0 })),
  )

/**
 * Amounts are whole millionths, instants microseconds since 1970 UTC. The models that read these tables decode them.
 */
export const outputs = {
  ledger_realizations: table(
    {
      trader_index: 'INTEGER',
      market_index: 'INTEGER',
      outcome: 'INTEGER',
      ts_us: 'BIGINT',
      kind: `ENUM(${realizationKinds.map((kind) => `'${kind}'`).join(', ')})`,
      seq: 'INTEGER',
    },
    { size: 'BIGINT', proceeds: 'BIGINT', cost: 'BIGINT' },
  ),
  ledger_receipts: table(
    { trader_index: 'INTEGER', market_index: 'INTEGER', outcome: 'INTEGER', ts_us: 'BIGINT', seq: 'INTEGER' },
    { size: 'BIGINT' },
  ),
  ledger_positions: table(
    { trader_index: 'INTEGER', market_index: 'INTEGER', outcome: 'INTEGER' },
    {
      size: 'BIGINT',
      cost: 'BIGINT',
      bought: 'BIGINT',
      sold: 'BIGINT',
      fees: 'BIGINT',
      size_untracked: 'BIGINT',
      untracked: 'BIGINT',
      first_us: 'BIGINT',
      last_us: 'BIGINT',
      is_complete: 'BOOLEAN',
    },
  ),
}

/** A journal whose rows are emitted in batches. */
export function openJournal(emit: Emit): Journal {
  const open = (output: keyof typeof outputs): Batch => openBatch(emit, output, outputs[output])
  const [realizations, receipts, positions] = [
    open('ledger_realizations'),
    open('ledger_receipts'),
    open('ledger_positions'),
  ]
  return {
    realized: (entry, kind, size, proceeds, cost) => {
      putPlace(realizations, entry.trader, entry.market, entry.position)
      realizations.amount(3, entry.ts)
      realizations.number(4, realizationKinds.indexOf(kind))
      realizations.number(5, entry.seq)
      realizations.amount(6, size)
      realizations.amount(7, proceeds)
      realizations.amount(8, cost)
      realizations.end()
    },
    received: (entry, size) => {
      putPlace(receipts, entry.trader, entry.market, entry.position)
      receipts.amount(3, entry.ts)
      receipts.number(4, entry.seq)
      receipts.amount(5, size)
      receipts.end()
    },
    held: (trader, market, position) => {
      putPlace(positions, trader, market, position)
      positions.amount(3, position.size)
      positions.amount(4, position.cost)
      positions.amount(5, position.bought)
      positions.amount(6, position.sold)
      positions.amount(7, position.fees)
      positions.amount(8, position.sizeUntracked)
      positions.amount(9, position.untracked)
      positions.amount(10, position.firstAt)
      positions.amount(11, position.lastAt)
      positions.number(12, position.isComplete ? 1 : 0)
      positions.end()
    },
    flush: () => [realizations, receipts, positions].forEach((batch) => batch.flush()),
  }
}

function putPlace(batch: Batch, trader: number, market: number, { outcome }: Position): void {
  batch.number(0, trader)
  batch.number(1, market)
  batch.number(2, outcome)
}
