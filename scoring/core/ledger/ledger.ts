import { readFileSync } from 'node:fs'

import type { DuckDBDataChunk } from '@duckdb/node-api'

import type { Emit, FoldModel } from '#builder/model.ts'

import { close, enter, type Account, type Facts } from './fold/account.ts'
import { rowsOf, type Event, type InputRow } from './fold/input.ts'
import { openJournal, outputs } from './fold/journal.ts'

/**
 * The positions ledger: every trader's shares at average cost, event by event, in whole millionths of a share and of a
 * US dollar. `ledger.sql` orders the events; `core.positions` and `core.realizations` document the results.
 */
export const ledger: FoldModel = {
  kind: 'fold',
  layer: 'core',
  name: 'ledger',
  doc: 'Positions at average cost and their realizations, folded event by event from fills, moves and resolutions.',
  sql: readFileSync(new URL('ledger.sql', import.meta.url), 'utf8'),
  outputs,
  fold: foldLedger,
}

async function foldLedger(chunks: AsyncIterable<DuckDBDataChunk>, emit: Emit): Promise<void> {
  const journal = openJournal(emit)
  const facts: Facts = { resolutions: new Map(), questions: new Map() }
  let account: Account | undefined
  for await (const chunk of chunks) {
    const rowAt = rowsOf(chunk)
    const n_rows = chunk.rowCount
    for (let index = 0; index < n_rows; index++) {
      const row = rowAt(index)
      if (!isEvent(row)) {
        learn(facts, row)
        continue
      }
      if (account?.trader !== row.trader || account.cluster !== row.cluster) {
        if (account !== undefined) close(account)
        const { trader, cluster } = row
        account = { journal, facts, trader, cluster, books: [], unknownSince: undefined, inTransit: [] }
      }
      enter(account, row)
    }
  }
  if (account !== undefined) close(account)
  journal.flush()
}

const isEvent = (row: InputRow): row is InputRow & Event => row.kind !== 'question' && row.kind !== 'resolution'

/** Records a question of a group, or the payout of one outcome by a resolution. */
function learn({ questions, resolutions }: Facts, { kind, cluster, market, outcome, ts, size }: InputRow): void {
  if (kind === 'question') {
    questions.set(cluster, [...(questions.get(cluster) ?? []), { market, bit: outcome }])
    return
  }
  const marketResolutions = resolutions.get(market) ?? []
  const last = marketResolutions.at(-1)
  if (last?.ts === ts) last.payouts.push(size)
  else resolutions.set(market, [...marketResolutions, { ts, payouts: [size] }])
}
