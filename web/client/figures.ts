import * as z from 'zod/mini'

import { readFigures, type Answer } from './visit.ts'

const signal = z.object({
  id: z.string(),
  type: z.string(),
  entity: z.string(),
  summary: z.string(),
  timestamp: z.string(),
  tier_required: z.string(),
})

export type Signal = z.output<typeof signal>

/** Parses the data of an event of the stream. */
export const parseSignal = (data: string): Signal => signal.parse(JSON.parse(data))

const evidence = z.object({
  n: z.number(),
  kind: z.string(),
  ref: z.string(),
  timestamp: z.string(),
  value: z.number(),
})

const market = z.object({
  id: z.string(),
  question: z.string(),
  platform: z.string(),
  status: z.string(),
  yes_price: z.number(),
  volume_24h: z.number(),
})

export type Market = z.output<typeof market>

const trader = z.object({
  rank: z.number(),
  wallet: z.string(),
  archetype: z.string(),
  pnl: z.number(),
  roi: z.nullable(z.number()),
  n_closed: z.number(),
  win_rate: z.number(),
  win_rate_lower: z.number(),
  expected_win_rate: z.nullable(z.number()),
  clv_score: z.nullable(z.number()),
  clv_se: z.nullable(z.number()),
  clv_n_eff: z.nullable(z.number()),
})

export type Trader = z.output<typeof trader>

const wallet = z.object({
  rank: z.number(),
  address: z.string(),
  chain: z.string(),
  tags: z.array(z.string()),
  pnl: z.number(),
  volume: z.number(),
  n_closed: z.number(),
  win_rate: z.number(),
  win_rate_lower: z.number(),
})

export type Wallet = z.output<typeof wallet>

const asset = z.object({
  symbol: z.string(),
  mindshare_pct: z.number(),
  mindshare_delta: z.number(),
  sentiment: z.string(),
  rank: z.number(),
})

export type Asset = z.output<typeof asset>

const covered = z.object({
  kind: z.string(),
  part: z.string(),
  dataset: z.string(),
  n_rows: z.number(),
  n_complete: z.number(),
  n_head: z.number(),
  n_incomplete: z.number(),
  from_at: z.nullable(z.string()),
  to_at: z.nullable(z.string()),
})

export type Covered = z.output<typeof covered>

/** The parameters of a request, as text. */
export type Query = Record<string, string>

/** The path of a list with its parameters, of which empty ones are left out. */
export const pathOf = (path: string, query: Query): string => {
  const pairs = Object.entries(query).filter(([, value]) => value !== '')
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`
}

/** A reader of a list of `/v1`. */
export const list =
  <T>(path: string, item: z.ZodMiniType<T>) =>
  (query: Query = {}): Promise<Answer<T[]>> =>
    readFigures(pathOf(path, query), z.array(item))

export const readFeed = list('/feed', signal)
export const readEvidence = list('/signal-evidence', evidence)
export const readMarkets = list('/markets', market)
export const readTraders = list('/trader-ranks', trader)
export const readWallets = list('/wallet-ranks', wallet)
export const readAssets = list('/signals', asset)
export const readCoverage = list('/coverage', covered)
