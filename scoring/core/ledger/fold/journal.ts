import type { Emit, ModelColumn } from '#models/model.ts'

import { realizationKinds, type Journal } from './entry.ts'

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

/** The number of rows in a batch: small enough for the young generation of the garbage collector. */
const batchRows = 512

/** A journal that emits its rows column by column. */
export function openJournal(emit: Emit): Journal {
  const realizations = batches('ledger_realizations', emit)
  const receipts = batches('ledger_receipts', emit)
  const positions = batches('ledger_positions', emit)
  return {
    realized: ({ trader, market, position, ts, seq }, kind, size, proceeds, cost) =>
      realizations.add([trader, market, position.outcome, ts, kind, seq, size, proceeds, cost]),
    received: ({ trader, market, position, ts, seq }, size) =>
      receipts.add([trader, market, position.outcome, ts, seq, size]),
    held: (trader, market, p) => {
      const amounts = [p.size, p.cost, p.bought, p.sold, p.fees, p.sizeUntracked, p.untracked]
      positions.add([trader, market, p.outcome, ...amounts, p.firstAt, p.lastAt, p.isComplete])
    },
    flush: () => {
      realizations.flush()
      receipts.flush()
      positions.flush()
    },
  }
}

function batches(
  output: keyof typeof outputs,
  emit: Emit,
): { add: (row: readonly unknown[]) => void; flush: () => void } {
  const empty = (): unknown[][] => outputs[output].map(() => [])
  let columns = empty()
  let rows = 0
  const flush = (): void => {
    if (rows > 0) emit(output, columns)
    columns = empty()
    rows = 0
  }
  const add = (row: readonly unknown[]): void => {
    for (let index = 0; index < row.length; index++) columns[index]?.push(row[index])
    rows++
    if (rows === batchRows) flush()
  }
  return { add, flush }
}
