import { expect, test } from 'vitest'
import { z } from 'zod'

import { sized } from '#test/run/sized.ts'
import { HOUR, SECOND, type Micros } from '#time.ts'

import { whale, whaleExit } from './planted_chain.ts'
import { openSignalWorld, plantFill, plantQuote, type SignalWorld } from './signal_world.ts'

const minute = 60 * SECOND
const tokenShape = z.object({ market_id: z.string(), token_id: z.string() })
const nameOf = ({ type, entity, direction }: Record<string, unknown>): string => [type, entity, direction].join(' ')
const evidenceOf = (row: Record<string, unknown> | undefined) =>
  JSON.parse(String(row?.['evidence'])) as { kind: string; ref: string; value: number }[]

/** The proven trader with the most trades above its threshold, and two open markets with books: on Solana, and on no asset. */
async function subjects({ marts }: SignalWorld) {
  const [trader] = await marts('select trader from marts.signal_traders order by tail_shape desc, trader')
  const market = async (on: string): Promise<string> =>
    String((await marts(`select market_id from marts.signal_markets where ${on} order by market_id`))[0]?.['market_id'])
  return {
    sharp: String(trader?.['trader']),
    moving: await market(`list_contains(symbols, 'SOL')`),
    traded: await market('len(symbols) = 0'),
  }
}

/** Plants a large purchase by a proven trader, and a fast move of the odds with the trade behind it. */
async function plant({ lake }: SignalWorld, at: Micros, of: Awaited<ReturnType<typeof subjects>>): Promise<void> {
  const tokens = await lake.read(({ query }) =>
    query('select market_id, token_ids[1] as token_id from lake.markets', tokenShape),
  )
  const tokenOf = (market: string): string => tokens.find(({ market_id }) => market_id === market)?.token_id ?? ''
  await plantFill(lake, of.traded, {
    token_id: tokenOf(of.traded),
    ts: at,
    tx: '0xentry',
    trader: of.sharp,
    size: 400_000_000_000_000n,
  })
  await plantFill(lake, of.moving, {
    token_id: tokenOf(of.moving),
    ts: at,
    tx: '0xmove',
    trader: `0x${'11'.repeat(20)}`,
    size: 100_000_000_000n,
  })
  await plantQuote(lake, of.moving, at, 970_000n)
}

test('each planted event is its one signal with its evidence, and so is their conjunction', async () => {
  const world = await openSignalWorld({ seed: 1, scale: 0.1, hasSurge: true, hasExit: true })
  const { now } = world
  await world.score(now)
  const of = await subjects(world)
  await plant(world, now + 30 * SECOND, of)
  for (const after of [1, 2, 4]) await world.detect(now + after * minute)
  await world.score(now + 5 * minute)
  for (const after of [5, 6, 30]) await world.detect(now + after * minute)
  const feed = await world.feed()
  const signals = new Map(feed.map((row) => [nameOf(row), row]))
  expect([...signals.keys()].toSorted()).toEqual(
    [
      `wallet ${of.sharp} entry`,
      `wallet ${whale} exit`,
      `market ${of.moving} up`,
      'social SOL burst',
      'signal SOL together',
    ].toSorted(),
  )
  expect(feed).toHaveLength(5)
  for (const { information } of feed) expect(information).toBeGreaterThanOrEqual(6)
  expect(evidenceOf(signals.get(`wallet ${of.sharp} entry`))).toMatchObject([
    { kind: 'transaction', ref: '0xentry', value: 200_000_000 },
    { kind: 'market', ref: of.traded, value: 0.5 },
    { kind: 'outcome' },
  ])
  expect(evidenceOf(signals.get(`wallet ${whale} exit`))).toMatchObject([
    { kind: 'transaction', ref: whaleExit.tx, value: whaleExit.usd },
    { kind: 'token', ref: `${whaleExit.chain}:${whaleExit.token}` },
  ])
  expect(evidenceOf(signals.get(`market ${of.moving} up`))).toMatchObject([
    { kind: 'market', ref: of.moving, value: 0.97 },
  ])
  const posts = evidenceOf(signals.get('social SOL burst'))
  expect(posts.length).toBeGreaterThanOrEqual(3)
  for (const { kind, ref } of posts) expect(`${kind} ${ref}`).toMatch(/^post (bluesky|news):/)
  const parts = evidenceOf(signals.get('signal SOL together')).map(({ kind }) => kind)
  expect(parts).toEqual(['market', 'social'])
})

test('a quiet world has less than one signal an hour for 1,000 entities', async () => {
  const hours = sized(6, 12)
  const world = await openSignalWorld({ seed: 2, scale: sized(0.1, 0.3), hasSurge: false, hasExit: false })
  const begin = world.now - hours * HOUR
  await world.score(begin)
  const [counted] = await world.marts(`select (select count(*) from marts.signal_markets)
    + (select count(*) from marts.signal_traders) + (select count(*) from marts.signal_bursts) + 151 as n`)
  for (let after = 0; after < hours * HOUR; after += 20 * minute) await world.detect(begin + after)
  const feed = await world.feed()
  const allowed = (hours * Number(counted?.['n'])) / 1_000
  expect(feed.length, feed.map(nameOf).join(', ')).toBeLessThan(Math.max(1, allowed))
})
