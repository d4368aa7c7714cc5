import { z } from 'zod'

import type { NewActivity, NewFill } from '#sources/markets/fills.ts'

import { idOf, VENUE } from './hosts.ts'

const row = { ts_s: z.int(), tx: z.string(), slug: z.string(), trader: z.string() }

export const tradeRow = z.object({
  ...row,
  outcome: z.int(),
  side: z.enum(['buy', 'sell']),
  role: z.enum(['maker', 'taker']),
  size: z.int(),
  cash: z.int(),
  fee: z.int(),
})

export const moveRow = z.object({ ...row, kind: z.string(), size: z.int(), cash: z.int() })

export const fillOf = ({ ts_s, tx, slug, outcome, trader, ...fill }: z.output<typeof tradeRow>): NewFill => ({
  venue: VENUE,
  token_id: `${slug}:${outcome}`,
  ts: ts_s * 1_000_000,
  tx,
  trader,
  side: fill.side,
  price: BigInt(Math.round((fill.cash / fill.size) * 1_000_000)),
  size: BigInt(fill.size),
  seq: 0,
  market_id: idOf(slug),
  role: fill.role,
  cash_usd: BigInt(fill.cash),
  fee_usd: BigInt(fill.fee),
})

export const activityOf = ({ ts_s, tx, slug, trader, kind, size, cash }: z.output<typeof moveRow>): NewActivity => ({
  venue: VENUE,
  trader,
  ts: ts_s * 1_000_000,
  tx,
  kind,
  market_id: slug === '' ? '' : idOf(slug),
  token_id: '',
  seq: 0,
  size: kind === 'split' || kind === 'merge' ? BigInt(size) : null,
  cash_usd: BigInt(cash),
  neg_risk_id: null,
  index_set: null,
  n_questions: null,
  counterparty: null,
})
