import * as z from 'zod/mini'

import { list } from './figures.ts'

const nullableNumber = z.nullable(z.number())
const nullableText = z.nullable(z.string())

const outcome = z.object({
  outcome: z.number(),
  label: z.string(),
  category: nullableText,
  created_at: nullableText,
  starts_at: nullableText,
  ends_at: nullableText,
  closed_at: nullableText,
  resolved_at: nullableText,
  payout: nullableNumber,
  n_holders: z.number(),
  size: z.number(),
  n_proven: z.number(),
  size_proven: z.number(),
})

export type Outcome = z.output<typeof outcome>

const hour = z.object({
  timestamp: z.string(),
  yes_price: nullableNumber,
  bid: nullableNumber,
  ask: nullableNumber,
  volume: z.number(),
})

export type MarketHour = z.output<typeof hour>

const holder = z.object({
  outcome: z.number(),
  rank: z.number(),
  wallet: z.string(),
  archetype: z.string(),
  is_proven: z.boolean(),
  size: z.number(),
  cost: z.number(),
})

export type Holder = z.output<typeof holder>

const fill = z.object({
  rank: z.number(),
  timestamp: z.string(),
  wallet: nullableText,
  outcome: z.string(),
  side: z.string(),
  price: z.number(),
  size: z.number(),
  cash: z.number(),
  tx_url: nullableText,
})

export type MarketFill = z.output<typeof fill>

export const readMarketOutcomes = list('/market-outcomes', outcome)
export const readMarketHours = list('/market-hours', hour)
export const readMarketHolders = list('/market-holders', holder)
export const readMarketFills = list('/market-fills', fill)
