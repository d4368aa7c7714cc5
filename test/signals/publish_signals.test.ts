import { expect, test } from 'vitest'
import { z } from 'zod'

import { publish } from '#builder/publish.ts'
import type { Lake } from '#lake/lake.ts'
import { publishSignals } from '#signals/publish_signals.ts'
import { newLake, noon } from '#test/lake/fixture.ts'

import { hour, minute, plantBook, plantFills, plantMarkets, pulseModels, settingsAt, sharp } from './planted_signals.ts'

const models = await pulseModels()
const secret = Buffer.alloc(32, 7)
const stored = z.record(z.string(), z.unknown())

const detectAt = (lake: Lake, at: number, clock = at): Promise<number> =>
  publishSignals(lake, settingsAt(models, at), { secret, clock: () => clock })
const feedOf = (lake: Lake): Promise<Record<string, unknown>[]> =>
  lake.read(({ query }) => query('select * from lake.feed order by published_at', stored))
const large = { trader: sharp, ts: noon - 5 * minute, size: 250_000_000_000n, tx: '0xsharp' }

async function newWorld() {
  const lake = await newLake()
  await plantMarkets(lake, ['a', 'b', 'c'])
  return lake
}

test('a planted entry and a planted move are one signal each, and together a third', async () => {
  const lake = await newWorld()
  expect(await detectAt(lake, noon)).toBe(0)
  await plantFills(lake, 'a', [large])
  await plantFills(lake, 'b', [{ size: 20_000_000_000n, ts: noon - 10 * minute }])
  await plantBook(lake, 'b', [
    [noon - 24 * hour, 400_000n],
    [noon - minute, 950_000n],
  ])
  expect(await detectAt(lake, noon, noon + 1_500)).toBe(3)
  const feed = await feedOf(lake)
  expect(feed.map(({ type, entity, direction }) => [type, entity, direction].join(' ')).toSorted()).toEqual([
    'market venue:b up',
    'signal BTC together',
    `wallet ${sharp} entry`,
  ])
  const wallet = feed.find(({ type }) => type === 'wallet')
  expect(wallet).toMatchObject({ tier_required: 'pro', symbol: 'BTC' })
  expect(wallet?.['summary']).toContain(`${sharp} bought 100,000 USD of Yes at 0.400 in "Will a happen?"`)
  expect(JSON.parse(String(wallet?.['evidence']))).toMatchObject([
    { kind: 'transaction', ref: '0xsharp' },
    { kind: 'market', ref: 'venue:a' },
    { kind: 'outcome', ref: 'a-0' },
  ])
  const instants = feed.map(({ published_at }) => Number(published_at))
  expect(instants).toEqual([0, 1, 2].map((n) => (noon + 1_000) / 1_000 + n))
})

test('a burst and a trade on a chain of the last scores are signals of the next pulse', async () => {
  const lake = await newLake()
  await plantMarkets(lake, ['a'], true)
  expect(await detectAt(lake, noon + minute)).toBe(2)
  const [whale, burst] = (await feedOf(lake)).toSorted((a, b) => (String(a['type']) < String(b['type']) ? 1 : -1))
  expect(whale).toMatchObject({ entity: '0xwhale', direction: 'exit', tier_required: 'pro', rule: 'tail' })
  expect(whale?.['summary']).toContain('0xwhale sold 700,000 USD of PEPE on base.')
  expect(burst).toMatchObject({
    entity: 'BTC',
    direction: 'burst',
    tier_required: 'free',
    rule: 'burst',
    symbol: 'BTC',
  })
  expect(burst?.['summary']).toContain('60 authors named BTC within 6 hours, where 4.3 were expected.')
  expect(JSON.parse(String(burst?.['evidence']))).toMatchObject([{ kind: 'post', ref: 'x:p1' }])
  expect(await detectAt(lake, noon + 2 * minute)).toBe(0)
})

test('signals are found once, and keep their bytes through new rows, late ones and rebuilds', async () => {
  const lake = await newWorld()
  await plantFills(lake, 'a', [large])
  expect(await detectAt(lake, noon)).toBe(1)
  const before = await feedOf(lake)
  expect(await detectAt(lake, noon)).toBe(0)
  expect(await detectAt(lake, noon + minute)).toBe(0)
  // The trade turns out to be smaller: the signal was a fact when it was published.
  await plantFills(lake, 'a', [{ ...large, size: 1_000_000n }])
  expect(await detectAt(lake, noon + 2 * minute)).toBe(0)
  // A late trade of the past hour is a signal of now.
  await plantFills(lake, 'c', [{ ...large, side: 'sell', tx: '0xlate', ts: noon - 30 * minute }])
  expect(await detectAt(lake, noon + 3 * minute)).toBe(1)
  const after = await feedOf(lake)
  expect(after.slice(0, 1)).toEqual(before)
  expect(after).toHaveLength(2)
  const hashes = new Set<string | undefined>()
  for (let n = 0; n < 2; n++) {
    const { tables } = await publish(lake, 'pulse', settingsAt(models, noon + 3 * minute))
    hashes.add(tables.find(({ name }) => name === 'feed')?.content_hash)
    expect(tables.find(({ name }) => name === 'feed')?.n_rows).toBe(2)
  }
  expect(hashes.size).toBe(1)
})

test('instants rise also when the clock goes back, and two publishers at once publish a signal once', async () => {
  const lake = await newWorld()
  await plantFills(lake, 'a', [large])
  expect(await detectAt(lake, noon)).toBe(1)
  await plantFills(lake, 'b', [{ ...large, side: 'sell', tx: '0xb' }])
  const counts = await Promise.all([detectAt(lake, noon, noon - hour), detectAt(lake, noon, noon - hour)])
  expect(counts.toSorted()).toEqual([0, 1])
  const instants = (await feedOf(lake)).map(({ published_at }) => Number(published_at))
  expect(instants).toEqual([noon / 1_000, noon / 1_000 + 1])
})
