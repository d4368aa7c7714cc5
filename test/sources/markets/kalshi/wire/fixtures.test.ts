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

const at = Date.UTC(2026, 10, 20, 16) * 1000

/** Reads a source's fixture as if its replies had been stored. */
const read = async (name: string) => {
  const source = sources.find((candidate) => candidate.name === name)
  if (source === undefined) throw new Error(`no source is called ${name}`)
  const file = new URL(`../../../../fixtures/kalshi/${name}.json`, import.meta.url)
  const { unit, replies } = JSON.parse(readFileSync(file, 'utf8')) as Fixture
  const get = replayHttp(replies.map((reply) => ({ ...reply, body: JSON.stringify(reply.body) })))
  return readWith(source, unit, { lake, get, at, until: Number.MAX_SAFE_INTEGER })
}

const columns = (rows: readonly Record<string, unknown>[] | undefined, ...names: string[]) =>
  (rows ?? []).map((row) => names.map((name) => row[name]))

describe('hand-made answers of the venue', () => {
  test('kalshi_markets', async () => {
    const { rows, rejected, state, proof } = await read('kalshi_markets')
    expect(rejected.map(({ dataset, reason }) => `${dataset}: ${reason}`)).toEqual([
      expect.stringMatching(/^markets: status: /),
    ])
    expect([state, proof]).toEqual([
      'complete',
      'cursors followed to their end, 4 pages: 6 unsettled markets; 0 of 0 that were unsettled before read by ticker',
    ])
    const names = ['market_id', 'event_id', 'question', 'status', 'is_open', 'category', 'taker_fee_rate', 'closed_at']
    const event = 'kalshi:KXRIVER-26NOV30'
    const title = 'Will the river freeze?'
    const weather = ['climate and weather', 35_000n]
    expect(columns(rows.markets, ...names)).toEqual([
      ['kalshi:KXRIVER-26DEC01-M', event, `${title} (By Monday)`, 'paused', false, ...weather, null],
      ['kalshi:KXRIVER-26NOV30-M', event, `${title} (By Monday)`, 'open', true, ...weather, null],
      ['kalshi:KXRIVER-26NOV30-T0.5', event, title, 'open', true, ...weather, null],
      [
        'kalshi:KXOLD-99',
        'kalshi:KXOLD-99',
        'Will it be seen on the moon? (By Monday)',
        'open',
        true,
        'world',
        null,
        null,
      ],
      ['kalshi:KXONESIDE-1', 'kalshi:KXONESIDE-1', `${title} (By Monday)`, 'open', true, null, null, null],
      [
        'kalshi:KXRIVER-26NOV19-M',
        event,
        `${title} (By Monday)`,
        'closed',
        false,
        ...weather,
        Date.UTC(2026, 10, 20, 13) * 1000,
      ],
    ])
    expect(rows.markets?.find(({ market_id }) => market_id === 'kalshi:KXOLD-99')).toMatchObject({
      labels: ['Yes', 'No'],
      token_ids: ['KXOLD-99:yes', 'KXOLD-99:no'],
      // The year 1 is unknown: the opening counts.
      created_at: Date.UTC(2026, 4, 1, 10, 5) * 1000,
      starts_at: null,
      collateral: 'USD',
    })
  })

  test('kalshi_odds', async () => {
    const { rows, rejected, proof } = await read('kalshi_odds')
    expect(rejected).toHaveLength(1)
    expect(proof).toBe('cursors followed to their end, 2 pages: 4 open markets, 4 quotes')
    expect(columns(rows.quotes, 'market_id', 'bid', 'ask', 'last', 'volume_24h_usd', 'size_24h')).toEqual([
      ['kalshi:KXRIVER-26NOV30-M', 410_000n, 430_000n, 425_000n, null, 20_250_000n],
      ['kalshi:KXRIVER-26NOV30-T0.5', 4_200n, 4_300n, 4_300n, null, 0n],
      ['kalshi:KXOLD-99', 60_000n, 70_000n, 60_000n, null, 10_000_000n],
      ['kalshi:KXONESIDE-1', null, null, null, null, 0n],
    ])
  })

  test('kalshi_settlements', async () => {
    const { rows, rejected, state, proof } = await read('kalshi_settlements')
    expect(rejected.map(({ dataset, reason }) => `${dataset}: ${reason}`)).toEqual([
      'resolutions: settlement_value_dollars: expected a settled market with its value, or with the result yes or no',
    ])
    expect([state, proof]).toEqual(['complete', 'cursors followed to their end, 1 pages: 3 settlements'])
    expect(columns(rows.resolutions, 'market_id', 'ts', 'payouts')).toEqual([
      ['kalshi:KXRIVER-26NOV20-M', Date.UTC(2026, 10, 20, 14, 12, 3) * 1000 + 250_001, [1_000_000n, 0n]],
      ['kalshi:KXRIVER-26NOV20-T3', Date.UTC(2026, 10, 20, 15) * 1000 - 1, [312_500n, 687_500n]],
      ['kalshi:KXOLD-26NOV20', Date.UTC(2026, 10, 20, 14, 30) * 1000, [0n, 1_000_000n]],
    ])
    expect(columns(rows.markets, 'status', 'is_open')).toEqual([1, 2, 3].map(() => ['resolved', false]))
  })

  test('kalshi_archive', async () => {
    const { rows, rejected, state, proof } = await read('kalshi_archive')
    expect([rejected, state, proof]).toEqual([[], 'growing', 'cursors followed to their end, 2 pages: 1 settlements'])
    const ts = Date.UTC(2025, 10, 20, 14, 12, 3) * 1000
    expect(columns(rows.resolutions, 'market_id', 'ts', 'payouts')).toEqual([
      ['kalshi:KXRIVER-25NOV20-M', ts, [0n, 1_000_000n]],
    ])
    expect(columns(rows.markets, 'market_id', 'seen_at')).toEqual([['kalshi:KXRIVER-25NOV20-M', ts]])
  })

  test('kalshi_trades', async () => {
    const { rows, rejected, state, proof } = await read('kalshi_trades')
    expect(rejected.map(({ dataset, reason }) => `${dataset}: ${reason}`)).toEqual([
      'fills: count_fp: expected a number from 0 to less than 10^12, got many',
    ])
    expect([state, proof]).toEqual([
      'complete',
      'live, cursors followed to their end, 2 pages from 2026-11-20 14:00:00.000000: 5 trades',
    ])
    const id = (n: number) => `00000000-0000-0000-0000-00000000000${n}`
    const [market, combo] = ['KXRIVER-26NOV30-M', 'KXMVEANY-S2026A-B']
    expect(columns(rows.fills, 'tx', 'token_id', 'price', 'size', 'cash_usd', 'role', 'side', 'trader')).toEqual([
      [id(1), `${market}:yes`, 390_000n, 3_000_000n, 1_170_000n, 'taker', 'buy', ''],
      [id(2), `${market}:no`, 995_800n, 250_000n, 248_950n, 'taker', 'buy', ''],
      [id(3), `${market}:no`, 300_000n, 5_000_000_000n, 1_500_000_000n, 'block', 'buy', ''],
      [id(4), `${market}:no`, 940_000n, 1_000_000n, 940_000n, 'taker', 'buy', ''],
      [id(5), `${combo}:no`, 930_000n, 2_000_000n, 1_860_000n, 'taker', 'buy', ''],
    ])
  })
})
