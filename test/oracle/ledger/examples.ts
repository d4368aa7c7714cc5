import type { LedgerContext, LedgerEvent, Position } from './event.ts'
import { oracleLedger } from './ledger.ts'

/** A binary market, one of three outcomes, and a group of three questions whose ids go against their indexes. */
export const context: LedgerContext = {
  markets: [
    { market_id: 'm', n_outcomes: 2, neg_risk_id: null, neg_risk_index: null },
    { market_id: 'three', n_outcomes: 3, neg_risk_id: null, neg_risk_index: null },
    { market_id: 'qc', n_outcomes: 2, neg_risk_id: 'g', neg_risk_index: 0 },
    { market_id: 'qb', n_outcomes: 2, neg_risk_id: 'g', neg_risk_index: 1 },
    { market_id: 'qa', n_outcomes: 2, neg_risk_id: 'g', neg_risk_index: 2 },
  ],
}

type Fields = Partial<LedgerEvent>

const event = (ts: number, kind: LedgerEvent['kind'], fields: Fields): LedgerEvent => ({
  trader: 'ann',
  market_id: 'm',
  ts,
  tx: '0x1',
  seq: 0,
  kind,
  outcome: -1,
  size: 0n,
  cash: 0n,
  fee: 0n,
  neg_risk_id: null,
  index_set: null,
  target: null,
  payouts: null,
  ...fields,
})

// Ann's, in the binary market 'm', by default.
export const buy = (ts: number, outcome: number, size: bigint, cash: bigint, fields: Fields = {}): LedgerEvent =>
  event(ts, 'buy', { outcome, size, cash, ...fields })
export const sell = (ts: number, outcome: number, size: bigint, cash: bigint, fields: Fields = {}): LedgerEvent =>
  event(ts, 'sell', { outcome, size, cash, ...fields })
export const split = (ts: number, size: bigint, fields: Fields = {}): LedgerEvent =>
  event(ts, 'split', { size, ...fields })
export const merge = (ts: number, size: bigint, fields: Fields = {}): LedgerEvent =>
  event(ts, 'merge', { size, ...fields })
export const redeem = (ts: number, cash: bigint, fields: Fields = {}): LedgerEvent =>
  event(ts, 'redeem', { cash, ...fields })
export const resolve = (ts: number, payouts: bigint[], fields: Fields = {}): LedgerEvent =>
  event(ts, 'resolution', { trader: '', payouts, ...fields })
export const convert = (ts: number, size: bigint, index_set: bigint | null, fields: Fields = {}): LedgerEvent =>
  event(ts, 'convert', { market_id: '', neg_risk_id: 'g', size, index_set, ...fields })

export const transferIn = (ts: number, outcome: number, size: bigint, cash: bigint, fields: Fields = {}): LedgerEvent =>
  event(ts, 'transfer_in', { outcome, size, cash, ...fields })
export const transferOut = (
  ts: number,
  outcome: number,
  size: bigint,
  cash: bigint,
  fields: Fields = {},
): LedgerEvent => event(ts, 'transfer_out', { outcome, size, cash, ...fields })
export const migrate = (ts: number, outcome: number, size: bigint, fields: Fields): LedgerEvent =>
  event(ts, 'migrate', { outcome, size, ...fields })

/** The ledger of some events: rows as `kind market/outcome size: proceeds - cost = pnl`, and a look at a position. */
export function ledgerOf(...events: LedgerEvent[]) {
  const { realizations, positions } = oracleLedger(events, context)
  return {
    realizations,
    positions,
    rows: realizations.map(
      (row) => `${row.kind} ${row.market_id}/${row.outcome} ${row.size}: ${row.proceeds} - ${row.cost} = ${row.pnl}`,
    ),
    position: (market_id: string, outcome: number): Position | undefined =>
      positions.find((each) => each.market_id === market_id && each.outcome === outcome),
  }
}
