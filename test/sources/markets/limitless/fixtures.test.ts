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

const at = Date.UTC(2026, 10, 20, 12) * 1000

/** Reads a source's fixture as if its replies had been stored. */
const read = async (name: string) => {
  const source = sources.find((candidate) => candidate.name === name)
  if (source === undefined) throw new Error(`no source is called ${name}`)
  const file = new URL(`../../../fixtures/limitless/${name}.json`, import.meta.url)
  const { unit, replies } = JSON.parse(readFileSync(file, 'utf8')) as Fixture
  const get = replayHttp(replies.map((reply) => ({ ...reply, body: JSON.stringify(reply.body) })))
  return readWith(source, unit, { lake, get, at })
}

const columns = (rows: readonly Record<string, unknown>[] | undefined, ...names: string[]) =>
  (rows ?? []).map((row) => names.map((name) => row[name]))

describe('hand-made answers of the venue', () => {
  test('limitless_markets', async () => {
    const { rows, rejected, state } = await read('limitless_markets')
    expect([rejected.map(({ reason }) => reason.slice(0, 12)), state]).toEqual([['conditionId:'], 'complete'])
    const group = 'limitless:who-wins-4'
    expect(columns(rows.markets, 'market_id', 'event_id', 'status', 'starts_by')).toEqual([
      ['limitless:btc-above-90k-1', 'limitless:btc-above-90k-1', 'open', 'startAt'],
      ['limitless:eth-above-4k-2', 'limitless:eth-above-4k-2', 'open', null],
      ['limitless:amm-question-3', 'limitless:amm-question-3', 'open', null],
      ['limitless:sol-up-or-down-5', 'limitless:sol-up-or-down-5', 'open', null],
      ['limitless:ada-4-1', group, 'open', null],
      ['limitless:bob-4-2', group, 'resolved', null],
    ])
  })

  test('limitless_odds', async () => {
    const { rows, rejected } = await read('limitless_odds')
    expect(rejected.map(({ dataset }) => dataset)).toEqual(['quotes'])
    expect(columns(rows.quotes, 'market_id', 'bid', 'ask', 'last', 'volume_24h_usd')).toEqual([
      ['limitless:btc-above-90k-1', 450_000n, 460_000n, 455_000n, null],
      ['limitless:eth-above-4k-2', 450_000n, 460_000n, 455_000n, 33_500_001n],
      ['limitless:amm-question-3', null, null, 725_000n, null],
      ['limitless:sol-up-or-down-5', null, null, null, null],
      ['limitless:ada-4-1', 450_000n, 460_000n, 455_000n, null],
    ])
  })

  test('limitless_resolutions', async () => {
    const { rows } = await read('limitless_resolutions')
    expect(columns(rows.resolutions, 'market_id', 'ts', 'payouts')).toEqual([
      ['limitless:btc-above-90k-1', at, [1_000_000n, 0n]],
    ])
  })

  test('limitless_trades', async () => {
    const { rows, rejected, state } = await read('limitless_trades')
    expect([rejected.map(({ reason }) => reason), state]).toEqual([
      ['tokenId: expected a token of btc-above-90k-1'],
      'complete',
    ])
    const [first, second] = ['aa', 'bb'].map((byte) => `0x${byte.repeat(20)}`)
    expect(columns(rows.fills, 'token_id', 'trader', 'side', 'price', 'size', 'seq', 'cash_usd')).toEqual([
      ['btc-above-90k-1:0', second, 'buy', 520_000n, 22_840_000n, 0, 11_876_800n],
      ['btc-above-90k-1:0', second, 'buy', 520_000n, 22_840_000n, 1, 11_876_800n],
      ['btc-above-90k-1:1', first, 'sell', 480_000n, 1_000_001n, 0, 480_000n],
    ])
  })

  test('limitless_activity', async () => {
    const { rows, rejected } = await read('limitless_activity')
    expect(rejected.map(({ dataset, reason }) => [dataset, reason.slice(0, 9)])).toEqual([['fills', 'strategy:']])
    expect(columns(rows.fills, 'token_id', 'side', 'role', 'cash_usd', 'fee_usd')).toEqual([
      ['btc-above-90k-1:0', 'buy', null, 25_500_000n, 0n],
      ['btc-above-90k-1:1', 'sell', 'taker', 25_500_000n, 500_000n],
    ])
    expect(columns(rows.activity, 'kind', 'size', 'cash_usd')).toEqual([
      ['merge', 21_080_913n, 10_540_456n],
      ['split', 30_000_000n, 30_000_000n],
      ['convert', 50_000_000n, 4_000_000n],
    ])
  })
})
