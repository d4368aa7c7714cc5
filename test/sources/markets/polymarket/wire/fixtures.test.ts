import { readFileSync } from 'node:fs'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { replayHttp, type StoredReply } from '#ingest/http/http.ts'
import type { Lake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { sources } from '#sources/index.ts'
import { readWith, temporaryLake } from '#test/sources/markets/polymarket/fake.ts'

type Fixture = { about: string; unit: Unit; replies: (Omit<StoredReply, 'body'> & { body: unknown })[] }

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

const at = Date.UTC(2026, 10, 20, 15) * 1000

/** Reads a source's fixture as if its replies had been stored. */
const read = async (name: string) => {
  const source = sources.find((candidate) => candidate.name === name)
  if (source === undefined) throw new Error(`no source is called ${name}`)
  const file = new URL(`../../../../fixtures/polymarket/${name}.json`, import.meta.url)
  const { unit, replies } = JSON.parse(readFileSync(file, 'utf8')) as Fixture
  const get = replayHttp(replies.map((reply) => ({ ...reply, body: JSON.stringify(reply.body) })))
  return readWith(source, unit, { lake, get, at })
}

/** A few columns of each row, in an order that does not depend on how they came. */
const columns = (rows: readonly Record<string, unknown>[] | undefined, ...names: string[]) =>
  (rows ?? []).map((row) => names.map((name) => row[name]))

const x = (byte: string, times = 32) => `polymarket:0x${byte.repeat(times)}`

describe('hand-made answers of the venue', () => {
  test('polymarket_markets', async () => {
    const { rows, rejected, state } = await read('polymarket_markets')
    expect([rejected, state]).toEqual([[], 'complete'])
    expect(
      columns(
        rows.markets,
        'market_id',
        'event_id',
        'status',
        'category',
        'starts_by',
        'closed_at',
        'neg_risk_index',
        'taker_fee_rate',
      ),
    ).toEqual([
      [x('1a'), 'polymarket:700', 'open', 'weather', null, null, 2, 50_000n],
      [x('2b'), x('2b'), 'open', null, 'gameStartTime', null, null, 0n],
      [x('5e'), x('5e'), 'closed', 'crypto', null, Date.UTC(2021, 0, 2, 21, 45, 52) * 1000, null, null],
    ])
    expect(rows.quotes).toBeUndefined()
  })

  test('polymarket_odds', async () => {
    const { rows, rejected, state } = await read('polymarket_odds')
    expect(rejected.map(({ dataset, reason }) => [dataset, reason])).toEqual([
      ['quotes', 'bestBid: expected a price from 0 to 1, got 52'],
    ])
    expect(columns(rows.quotes, 'market_id', 'bid', 'ask', 'last', 'volume_24h_usd')).toEqual([
      [x('1a'), 520_000n, 530_000n, 525_000n, 33_500_001n],
      [x('2b'), null, 1_000_000n, null, null],
    ])
    expect(state).toBe('complete')
  })

  test('polymarket_clob_markets', async () => {
    const { rows, rejected } = await read('polymarket_clob_markets')
    expect(rejected.map(({ reason }) => reason)).toEqual([expect.stringMatching(/^condition_id: /)])
    expect((rows.markets ?? []).map(({ status, token_ids }) => [status, token_ids.length])).toEqual([
      ['resolved', 2],
      ['resolved', 2],
      ['paused', 0],
    ])
    expect(columns(rows.resolutions, 'market_id', 'payouts')).toEqual([
      [x('1a'), [1_000_000n, 0n]],
      [x('2b'), [500_000n, 500_000n]],
    ])
  })

  test('polymarket_trades', async () => {
    const { rows, rejected, state } = await read('polymarket_trades')
    expect(rejected.map(({ reason }) => reason)).toEqual(['price: expected a price from 0 to 1, got 52'])
    expect(columns(rows.fills, 'side', 'price', 'size', 'seq', 'role', 'cash_usd')).toEqual([
      ['buy', 520_000n, 22_840_000n, 0, 'taker', 11_876_800n],
      ['sell', 520_000n, 11_420_000n, 0, 'maker', 5_938_400n],
      ['sell', 520_000n, 11_420_000n, 1, 'maker', 5_938_400n],
      ['buy', 830_000n, 11_988_288n, 0, 'maker', 9_950_279n],
    ])
    expect(state).toBe('complete')
  })

  test('polymarket_feed', async () => {
    const { rows, rejected, state } = await read('polymarket_feed')
    expect(rejected.map(({ reason }) => reason)).toEqual(['price: expected a price from 0 to 1, got 52'])
    expect(columns(rows.fills, 'market_id', 'side', 'price', 'seq', 'role')).toEqual([
      [x('1a'), 'buy', 520_000n, 0, 'taker'],
      [x('1a'), 'sell', 520_000n, 0, 'maker'],
      [x('1a'), 'sell', 520_000n, 1, 'maker'],
      [x('3c', 31), 'buy', 830_000n, 0, 'taker'],
    ])
    expect(state).toBe('complete')
  })

  test('polymarket_activity', async () => {
    const { rows, rejected, state } = await read('polymarket_activity')
    expect(rejected.map(({ dataset, reason }) => [dataset, reason.slice(0, 5)])).toEqual([['activity', 'type:']])
    expect(columns(rows.fills, 'market_id', 'side', 'cash_usd', 'fee_usd')).toEqual([
      [x('1a'), 'buy', 11_876_800n, 285_040n],
      [x('1a'), 'sell', 6_696_000n, 33_480n],
      [x('3c', 31), 'buy', 250_000n, 0n],
    ])
    expect(columns(rows.activity, 'kind', 'market_id', 'seq', 'size', 'cash_usd')).toEqual([
      ['split', x('1a'), 0, 5_000_000n, 5_000_000n],
      ['merge', x('1a'), 0, 5_000_000n, 5_000_000n],
      ['convert', `${x('4d', 31)}00`, 0, 5_000_000n, 10_000_000n],
      ['redeem', x('1a'), 0, null, 0n],
      ['redeem', x('1a'), 1, null, 11_988_288n],
      ['rebate', '', 0, null, 3_995_500n],
      ['deposit', '', 0, null, 100_000_000n],
    ])
    expect(state).toBe('complete')
  })

  test('polymarket_resolutions', async () => {
    const { rows, state, reason } = await read('polymarket_resolutions')
    const minute = (n: number, s = 0) => Date.UTC(2026, 10, 20, 12, n, s) * 1000
    expect(columns(rows.resolutions, 'market_id', 'ts', 'payouts', 'tx')).toEqual([
      [x('1a'), minute(1, 30), [0n, 1_000_000n], `0x${'e1'.repeat(32)}`],
      [x('2b'), minute(2), [500_000n, 500_000n], null],
      [x('8b'), minute(3), [1_000_000n, 0n], null],
    ])
    expect([state, reason]).toEqual(['growing', `1 not resolved: 0x${'7a'.repeat(32)}`])
  })
})
