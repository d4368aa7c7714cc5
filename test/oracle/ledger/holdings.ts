import type { Micros } from '#time.ts'

import type { LedgerContext, LedgerEvent } from './event.ts'
import { oracleLedger } from './ledger.ts'

/** A change of the shares of a trader's outcome, in millionths, and the shares after it. */
export type Holding = {
  trader: string
  market_id: string
  outcome: number
  ts: Micros
  kind: string
  tx: string
  change: bigint
  size: bigint
}

const kinds = {
  buy: 'buy',
  split: 'split',
  convert: 'conversion',
  merge: 'merge',
  sell: 'sale',
  resolution: 'resolution',
  redeem: 'redemption',
  transfer_in: 'transfer',
  transfer_out: 'transfer',
  migrate: 'migration',
}

/** The changes of the independent ledger's positions, read off after each event, trader by trader in their order. */
export function oracleHoldings(events: LedgerEvent[], context: LedgerContext): Holding[] {
  const changes: Holding[] = []
  const sizes = new Map<string, bigint>()
  oracleLedger(events, context, ({ ts, tx, kind }, positions) => {
    for (const { trader, market_id, outcome, size } of positions) {
      const key = JSON.stringify([trader, market_id, outcome])
      const change = size - (sizes.get(key) ?? 0n)
      sizes.set(key, size)
      if (change !== 0n) changes.push({ trader, market_id, outcome, ts, kind: kinds[kind], tx, change, size })
    }
  })
  return changes
}
