import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

import type { Market, Quote } from '#lake/datasets/index.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { storeUnit, type UnitContents } from '#lake/units/store_unit.ts'
import type { Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

/** A folder that goes with the test. */
export async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  return home
}

/** A lake in a folder of its own, or in one that is there; closed with the test. */
export async function newLake({
  home,
  database,
  threads = 1,
  memory = '512MB',
}: { home?: string; database?: string | undefined; threads?: number; memory?: string } = {}): Promise<
  Lake & { home: string }
> {
  const folder = home ?? (await newHome())
  const lake = await openLake(folder, { threads, memory }, database)
  onTestFinished(lake.close)
  return { ...lake, home: folder }
}

/** 2026-11-20T13:05:00Z */
export const noon: Micros = Date.UTC(2026, 10, 20, 13, 5) * 1000

export const lifeOf = (key: string): Unit => ({
  source: 'venue_quotes',
  kind: 'history',
  part: 'venue',
  key,
  from: 0,
  to: null,
  params: [],
})

export const quote = (market: string, ts: Micros, more: Partial<Quote> = {}): Omit<Quote, 'source'> => ({
  market_id: `venue:${market}`,
  ts,
  period_s: 0,
  venue: 'venue',
  bid: 400_000n,
  ask: 420_000n,
  last: null,
  size: null,
  volume_24h_usd: null,
  size_24h: null,
  venue_price: null,
  liquidity_usd: null,
  ...more,
})

export const market = (name: string, more: Partial<Market> = {}): Omit<Market, 'source'> => ({
  market_id: `venue:${name}`,
  seen_at: noon,
  venue: 'venue',
  event_id: `venue:${name}`,
  question: `Will ${name} happen?`,
  labels: ['Yes', 'No'],
  token_ids: [`${name}-0`, `${name}-1`],
  category: null,
  tags: [],
  url: null,
  status: 'open',
  is_open: true,
  created_at: null,
  starts_at: null,
  starts_by: null,
  ends_at: null,
  closed_at: null,
  collateral: 'usdc',
  taker_fee_rate: null,
  maker_fee_rate: null,
  fee_exponent: null,
  neg_risk_id: null,
  neg_risk_index: null,
  volume_usd: null,
  ...more,
})

/** Stores rows as one that was read whole. */
export const storeRows = (
  lake: Lake,
  unit: Unit,
  rows: UnitContents['rows'],
  more: Partial<UnitContents> = {},
): ReturnType<typeof storeUnit> =>
  storeUnit(lake, unit, {
    rows,
    rejected: [],
    precedence: 1,
    state: 'head',
    to: noon,
    asked: ['venue'],
    checkedAt: noon,
    ...more,
  })
