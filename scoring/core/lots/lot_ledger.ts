import { readFileSync } from 'node:fs'

import type { DuckDBDataChunk } from '@duckdb/node-api'

import type { Emit, FoldModel } from '#builder/model.ts'

import { openEvent, openReader } from './fold/input.ts'
import { openJournal, outputs } from './fold/journal.ts'
import { close, enter, openOwner } from './fold/owner.ts'

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
  count: 'select (select count(*) from core.trades) + (select count(*) from core.transfers)',
  outputs,
  fold: foldLots,
}

async function foldLots(chunks: AsyncIterable<DuckDBDataChunk>, emit: Emit): Promise<void> {
  const journal = openJournal(emit)
  const { event, open, read } = openReader(openEvent())
  const owner = openOwner(journal)
  for await (const chunk of chunks) {
    open(chunk)
    const n_rows = chunk.rowCount
    for (let index = 0; index < n_rows; index++) {
      read(index)
      if (event.cluster !== owner.cluster) close(owner, event.cluster)
      enter(owner, event)
    }
  }
  close(owner, -1)
  journal.flush()
}
