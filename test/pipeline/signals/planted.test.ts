import { expect, test } from 'vitest'
import { z } from 'zod'

import { now_s } from '#sim/markets/event_templates.ts'
import { sized } from '#test/run/sized.ts'
import { HOUR, SECOND } from '#time.ts'

import { whale, whaleExit } from './planted_chain.ts'
import { openSignalWorld, plantFill, plantQuote, postsWith, surging, type SignalWorld } from './signal_world.ts'
import { attentionAt, plantedInformation, priceAt, usdAt } from './sizes.ts'

const minute = 60 * SECOND
/** The most sharp traders that enter a market, and the number of markets whose odds move. */
const n_planted = sized(2, 3, 5)

const nameOf = ({ type, entity, direction }: Record<string, unknown>): string => [type, entity, direction].join(' ')
const evidenceOf = (row: Record<string, unknown> | undefined) =>
  JSON.parse(String(row?.['evidence'])) as { kind: string; ref: string; value: number }[]

/** The least share of posts, in steps of 0.01, that makes a burst of the planted information. */
function leastSurge(seed: number): number {
  const now = now_s * SECOND
  for (let n = 1; n <= 100; n++)
    if (attentionAt(postsWith({ seed, now, surge: n / 100 }), surging, now) >= plantedInformation) return n / 100
  throw new Error('no share of posts is a burst; expected one of at most 1')
}

const traderShape = z.object({
  trader: z.string(),
  threshold_usd: z.coerce.number(),
  share: z.coerce.number(),
  shape: z.coerce.number(),
  scale: z.coerce.number(),
})
const marketShape = z.object({ market_id: z.string(), scale: z.coerce.number(), median_usd: z.coerce.number() })
const tokenShape = z.object({ market_id: z.string(), token_id: z.string() })
const midShape = z.object({ market_id: z.string(), mid: z.number() })

/** No trade is larger: a trader with few large trades has no trade of tiny chance below this. */
const most_usd = 1e9

/**
 * A purchase of the planted information by each of some proven traders with many large trades, each in a market of its
 * own: the planted fills of a market replace each other.
 */
async function planEntries({ marts }: SignalWorld, moving: ReadonlySet<string>) {
  const traders =
    await marts(`select trader, threshold_usd, tail_share as share, tail_shape as shape, tail_scale as scale
    from marts.signal_traders order by tail_shape desc, trader`)
  const plain = (await marts('select market_id from marts.signal_markets where len(symbols) = 0 order by market_id'))
    .map(({ market_id }) => String(market_id))
    .filter((market_id) => !moving.has(market_id))
  return z
    .array(traderShape)
    .parse(traders)
    .map(({ trader, ...tail }) => ({ trader, usd: Math.ceil(usdAt(plantedInformation, tail)) }))
    .filter(({ usd }) => usd <= most_usd)
    .slice(0, n_planted)
    .map((one, n) => ({ ...one, market_id: plain[n] ?? '', tx: `0xentry${n}` }))
}

/** Rises of the planted information of some markets whose odds usually move least; the first is a market on Solana. */
async function planMoves({ marts, lake, now }: SignalWorld) {
  const columns = 'market_id, move_scale as scale, median_hour_usd as median_usd'
  const steady = z
    .array(marketShape)
    .parse([
      ...(await marts(
        `select ${columns} from marts.signal_markets where list_contains(symbols, 'SOL') order by scale, market_id`,
      )),
      ...(await marts(`select ${columns} from marts.signal_markets where len(symbols) = 0 order by scale, market_id`)),
    ])
  // The hour of the first look begins here.
  const begin = now + minute - HOUR
  const mids = await lake.read(({ query }) =>
    query(
      `select market_id, arg_max((bid + ask)::double / 2, ts) as mid from lake.quotes
       where epoch_us(ts) <= ${begin} and bid is not null and ask is not null group by market_id`,
      midShape,
    ),
  )
  const moves = steady.flatMap(({ market_id, scale, median_usd }) => {
    const before = mids.find((one) => one.market_id === market_id)?.mid ?? 0
    const price = priceAt(plantedInformation, { before, scale })
    return before < 0.03 || before > 0.97 || price > 0.998
      ? []
      : [{ market_id, price: Math.ceil(price * 1e6) / 1e6, usd: Math.ceil(Math.max(1_000, 3 * median_usd)) }]
  })
  return moves.slice(0, n_planted)
}

type Plan = { entries: Awaited<ReturnType<typeof planEntries>>; moves: Awaited<ReturnType<typeof planMoves>> }

/** Plants the purchases, and the moves each with its volume. */
async function plant({ lake, now }: SignalWorld, { entries, moves }: Plan): Promise<void> {
  const at = now + 30 * SECOND
  const tokens = await lake.read(({ query }) =>
    query('select market_id, token_ids[1] as token_id from lake.markets', tokenShape),
  )
  const fillOf = (market_id: string, trader: string, tx: string, usd: number) => ({
    token_id: tokens.find((one) => one.market_id === market_id)?.token_id ?? '',
    ts: at,
    tx,
    trader,
    // Planted fills have a price of 0.5.
    size: BigInt(2 * usd) * 1_000_000n,
  })
  const nobody = `0x${'11'.repeat(20)}`
  for (const { market_id, trader, tx, usd } of entries)
    await plantFill(lake, market_id, fillOf(market_id, trader, tx, usd))
  for (const { market_id, price, usd } of moves) {
    await plantFill(lake, market_id, fillOf(market_id, nobody, '0xmove', usd))
    await plantQuote(lake, market_id, at, BigInt(Math.round(price * 1e6)))
  }
}

test('each planted event of information 6 is its one signal with its evidence, and so is their conjunction', async () => {
  const world = await openSignalWorld({ seed: 1, scale: 0.1, surge: leastSurge(1), hasExit: true })
  const { now } = world
  await world.score(now)
  const moves = await planMoves(world)
  const plan: Plan = { moves, entries: await planEntries(world, new Set(moves.map(({ market_id }) => market_id))) }
  expect(plan.entries.length).toBeGreaterThan(0)
  expect(plan.moves).toHaveLength(n_planted)
  await plant(world, plan)
  for (const after of [1, 2, 4]) await world.detect(now + after * minute)
  await world.score(now + 5 * minute)
  for (const after of [5, 6, 30]) await world.detect(now + after * minute)

  const feed = await world.feed()
  const signals = new Map(feed.map((row) => [nameOf(row), row]))
  const expected = [
    ...plan.entries.map(({ trader }) => `wallet ${trader} entry`),
    `wallet ${whale} exit`,
    ...plan.moves.map(({ market_id }) => `market ${market_id} up`),
    'social SOL burst',
    'signal SOL together',
  ]
  expect(feed.map(nameOf).toSorted()).toEqual(expected.toSorted())
  for (const [name, { information }] of signals) {
    expect(information, name).toBeGreaterThanOrEqual(6)
    // The stored information is the one that the definition gives to the planted size.
    if (/^(wallet|market)/.test(name)) expect(information, name).toBeCloseTo(plantedInformation, 1)
  }
  for (const { trader, market_id, tx, usd } of plan.entries)
    expect(evidenceOf(signals.get(`wallet ${trader} entry`))).toMatchObject([
      { kind: 'transaction', ref: tx, value: usd },
      { kind: 'market', ref: market_id, value: 0.5 },
      { kind: 'outcome' },
    ])
  expect(evidenceOf(signals.get(`wallet ${whale} exit`))).toMatchObject([
    { kind: 'transaction', ref: whaleExit.tx, value: whaleExit.usd },
    { kind: 'token', ref: `${whaleExit.chain}:${whaleExit.token}` },
  ])
  for (const { market_id, price } of plan.moves)
    expect(evidenceOf(signals.get(`market ${market_id} up`))).toMatchObject([
      { kind: 'market', ref: market_id, value: price },
    ])
  const posts = evidenceOf(signals.get('social SOL burst'))
  expect(posts.length).toBeGreaterThanOrEqual(3)
  for (const { kind, ref } of posts) expect(`${kind} ${ref}`).toMatch(/^post (bluesky|news):/)
  const parts = evidenceOf(signals.get('signal SOL together')).map(({ kind }) => kind)
  expect(parts).toEqual(['market', 'social'])
})

test('a quiet world has less than one signal an hour for 1,000 entities', async () => {
  const hours = sized(4, 4, 12)
  const world = await openSignalWorld({ seed: 2, scale: sized(0.1, 0.1, 0.3), surge: 0, hasExit: false })
  const begin = world.now - hours * HOUR
  await world.score(begin)
  // The whale is the one wallet on a chain whose trades are tested.
  const [counted] = await world.marts(`select (select count(*) from marts.signal_markets)
    + (select count(*) from marts.signal_traders) + (select count(*) from marts.signal_bursts) + 1 as n`)
  for (let after = 0; after < hours * HOUR; after += 20 * minute) await world.detect(begin + after)
  const feed = await world.feed()
  const allowed = (hours * Number(counted?.['n'])) / 1_000
  expect(feed.length, feed.map(nameOf).join(', ')).toBeLessThan(Math.max(1, allowed))
})
