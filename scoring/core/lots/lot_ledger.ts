import { readFileSync } from 'node:fs'

import type { DuckDBDataChunk } from '@duckdb/node-api'

import type { Emit, FoldModel } from '#models/model.ts'

import { close, enter, openAccount } from './fold/account.ts'
import { legsOf, openLeg } from './fold/input.ts'
import { openJournal, outputs } from './fold/journal.ts'

/**
 * The lots of wallets, first in, first out, event by event: whole units of a token, whole millionths of a US dollar.
 * `lot_ledger.sql` orders the events; `core.lots`, `core.disposals` and `core.unmatched` document the results.
 */
export const lotLedger: FoldModel = {
  kind: 'fold',
  layer: 'core',
  name: 'lot_ledger',
  doc: 'Lots of wallets, first in, first out, and their disposals, folded event by event from trades and transfers.',
  sql: readFileSync(new URL('lot_ledger.sql', import.meta.url), 'utf8'),
  outputs,
  fold: foldLots,
}

async function foldLots(chunks: AsyncIterable<DuckDBDataChunk>, emit: Emit): Promise<void> {
  const journal = openJournal(emit)
  const leg = openLeg()
  const account = openAccount(journal)
  for await (const chunk of chunks) {
    const readRow = legsOf(chunk, leg)
    const n_rows = chunk.rowCount
    for (let index = 0; index < n_rows; index++) {
      readRow(index)
      if (leg.token !== account.token || leg.cluster !== account.cluster) close(account, leg)
      enter(account, leg)
    }
  }
  close(account, openLeg())
  journal.flush()
}
