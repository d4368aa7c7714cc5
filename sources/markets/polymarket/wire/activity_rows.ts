import { z } from 'zod'

import { zodReason } from '#ingest/http/response.ts'
import { millionths, quantity } from '#ingest/parse/decimals.ts'
import { address, conditionId, tokenId, txHash } from '#ingest/parse/ids.ts'
import { reject } from '#ingest/parse/rows.ts'
import { epochSeconds } from '#ingest/parse/timestamps.ts'
import type { RejectedRow } from '#ingest/source.ts'
import type { NewActivity, NewFill } from '#sources/markets/fills.ts'

import { notional, toFill, tradeFields, underV2Names, withMarket } from './trade_rows.ts'
import { idOf, maybe, parseRows, VENUE } from './types.ts'

/** The kind of each type of row, and whether its `size` counts shares; otherwise it repeats the cash. */
const KINDS = {
  SPLIT: { kind: 'split', isInShares: true },
  MERGE: { kind: 'merge', isInShares: true },
  REDEEM: { kind: 'redeem', isInShares: false },
  CONVERSION: { kind: 'convert', isInShares: true },
  REWARD: { kind: 'reward', isInShares: false },
  REFERRAL_REWARD: { kind: 'reward', isInShares: false },
  MAKER_REBATE: { kind: 'rebate', isInShares: false },
  TAKER_REBATE: { kind: 'rebate', isInShares: false },
  YIELD: { kind: 'yield', isInShares: false },
  DEPOSIT: { kind: 'deposit', isInShares: false },
  WITHDRAWAL: { kind: 'withdrawal', isInShares: false },
  MIGRATION: { kind: 'migration', isInShares: true },
  TIP: { kind: 'tip', isInShares: false },
} as const
type Type = keyof typeof KINDS

const typeNames = Object.keys(KINDS) as [Type, ...Type[]]
const withType = z.preprocess(underV2Names, z.looseObject({ type: z.enum(['TRADE', ...typeNames]) }))

const ledgerTrade = tradeFields.extend({ usdc_size: maybe(quantity) })
const ledgerOther = z.object({
  type: z.enum(typeNames),
  proxy_wallet: address,
  timestamp: epochSeconds,
  transaction_hash: maybe(txHash),
  condition_id: maybe(conditionId),
  token_id: maybe(tokenId),
  size: maybe(quantity),
  usdc_size: maybe(quantity),
})

type LedgerTrade = z.output<typeof ledgerTrade>
type LedgerOther = z.output<typeof ledgerOther>

/** Parses the rows of an account, of either version: trades and other rows. Rows of other accounts are rejected. */
export function parseLedger(
  bodies: readonly unknown[],
  user: string,
  { path, rejected }: { path: string; rejected: RejectedRow[] },
): { trades: LedgerTrade[]; others: LedgerOther[] } {
  const isOfUser = { path: ['proxy_wallet'], message: `expected a row of ${user}` }
  const trade = z
    .preprocess(underV2Names, ledgerTrade)
    .refine((row) => row.proxy_wallet === user, isOfUser)
    .transform(withMarket)
  const other = z.preprocess(underV2Names, ledgerOther).refine((row) => row.proxy_wallet === user, isOfUser)
  const trades: unknown[] = []
  const others: unknown[] = []
  for (const body of bodies) {
    const { success, data, error } = withType.safeParse(body)
    if (success) (data.type === 'TRADE' ? trades : others).push(body)
    else reject(rejected, { dataset: 'activity', path, reason: zodReason(error), body })
  }
  return {
    trades: parseRows(trades, trade, { dataset: 'fills', path, rejected }),
    others: parseRows(others, other, { dataset: 'activity', path, rejected }),
  }
}

/** A smaller difference between cash and price times size is rounding. */
const ROUNDING = 10n

/**
 * A fill with its actual cash: price times size, plus the fee for a purchase, minus the fee for a sale. Zero cash means
 * that the value is missing.
 */
export const toLedgerFill = (trade: LedgerTrade): NewFill => {
  const atPrice = notional(trade)
  const moved = trade.usdc_size === null ? 0n : millionths(trade.usdc_size)
  if (moved === 0n && atPrice > 0n) return toFill(trade, { role: null, cash_usd: atPrice, fee_usd: null })
  const fee = trade.side === 'BUY' ? moved - atPrice : atPrice - moved
  return fee < ROUNDING
    ? toFill(trade, { role: null, cash_usd: moved, fee_usd: 0n })
    : toFill(trade, { role: null, cash_usd: atPrice, fee_usd: fee })
}

export const toActivity = (row: LedgerOther): NewActivity => {
  const { kind, isInShares } = KINDS[row.type]
  return {
    venue: VENUE,
    trader: row.proxy_wallet,
    ts: row.timestamp,
    tx: row.transaction_hash ?? '',
    kind,
    market_id: row.condition_id === null ? '' : idOf(row.condition_id),
    token_id: row.token_id ?? '',
    seq: 0,
    size: isInShares && row.size !== null ? millionths(row.size) : null,
    cash_usd: row.usdc_size && millionths(row.usdc_size),
    neg_risk_id: null,
    index_set: null,
    n_questions: null,
    counterparty: null,
  }
}
