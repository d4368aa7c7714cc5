import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { bookOf } from '#sim/markets/wire/book.ts'
import { createIndexes } from '#sim/markets/wire/indexes.ts'
import { createWorld, squeezed } from '#sim/markets/world.ts'
import { polymarketBook } from '#sources/markets/polymarket/polymarket_book.ts'
import { polymarketMarkets } from '#sources/markets/polymarket/polymarket_markets.ts'
import { polymarketOdds } from '#sources/markets/polymarket/polymarket_odds.ts'
import { eventually } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'
import type { Micros } from '#time.ts'

import { openPushed } from './pushed_world.ts'

const second = 1_000_000
const world = squeezed(createWorld({ seed: 4, scale: 0.3 }), 40)
const faults = { mute_ms: 2_000, missed: 0.02, lost: 0.05, repeats: true, drift: 0.1 }
const indexes = createIndexes(world)
const markets = new Map(world.markets.map((market) => [`polymarket:${market.conditionId}`, market]))

const quoteShape = z.object({
  market_id: z.string(),
  ts: z.bigint().transform(Number),
  bid: z.bigint().nullable(),
  ask: z.bigint().nullable(),
  source: z.string(),
})
type Quote = z.output<typeof quoteShape>

/** The quotes of an interval, in order of time; of one instant the poll counts. */
const quotes = (lake: Lake, from: Micros, to: Micros): Promise<Quote[]> =>
  lake.read(({ query }) =>
    query(
      `select market_id, epoch_us(ts) as ts, (bid * 1000000)::bigint as bid, (ask * 1000000)::bigint as ask, source
       from lake.quotes where epoch_us(ts) >= ${from} and epoch_us(ts) <= ${to} order by ts, source`,
      quoteShape,
    ),
  )

const isPushed = ({ source }: Quote): boolean => source === polymarketBook.name

/** Whether a quote is the venue's best prices at a second. */
function isTrue({ market_id, bid, ask }: Quote, at_s: number): boolean {
  const market = markets.get(market_id)
  if (market === undefined) return false
  const book = bookOf(world, indexes, market, at_s)
  return book.bid === (bid === null ? null : Number(bid)) && book.ask === (ask === null ? null : Number(ask))
}

/** The last quote of each market. */
const latest = (rows: readonly Quote[]): Quote[] => [...new Map(rows.map((row) => [row.market_id, row])).values()]

const covered = z.object({ state: z.string(), reason: z.string().nullable(), n_rows: z.bigint() })
const coverage = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select state, reason, n_rows from lake.coverage where source = '${polymarketBook.name}' order by unit`,
      covered,
    ),
  )

test('pushed quotes are the venue’s, count at once, and are those of the polls later', async () => {
  const { lake, clock, poll, follow, halt, skip, close, ...pushed } = await openPushed(world, {
    stream: polymarketBook,
    faults,
  })
  const polls: { at: Micros; end: Micros }[] = []
  const observe = async (): Promise<void> => {
    const at = clock()
    await poll(polymarketOdds)
    polls.push({ at: at - (at % (60 * second)), end: clock() })
  }
  const begun = clock()
  await poll(polymarketMarkets)
  await observe()
  follow()
  const gaps = new Set<string>()
  for (let round = 0; round < sized(8, 8, 30); round += 1) {
    await sleep(1_500)
    const now = clock()
    const rows = await quotes(lake, begun - 60 * second, now)
    expect(rows.filter((row) => isPushed(row) && !isTrue(row, row.ts / second))).toEqual([])
    for (const { reason } of await coverage(lake)) for (const gap of reason?.split('; ') ?? []) gaps.add(gap)
    await observe()
  }
  // Most quotes that have changed since the last poll are those of the venue.
  await sleep(1_500)
  await halt(() =>
    eventually(async () => {
      const now = clock()
      const rows = latest(await quotes(lake, begun - 60 * second, now))
      const changed = rows.filter((row) => !isPushed(row) || row.ts > (polls.at(-1)?.at ?? 0))
      const right = changed.filter((row) => isTrue(row, Math.floor(now / second)))
      expect(right.length / Math.max(1, changed.length)).toBeGreaterThan(0.9)
    }),
  )
  expect(pushed.n_connections()).toBeGreaterThan(2)
  expect([...gaps]).toContain('provisional until polymarket_odds has the hour')
  expect([...gaps].filter((gap) => gap.startsWith('a connection had no messages for 30 s'))).not.toEqual([])

  const end = clock()
  skip(80 * 60 * second)
  await observe()
  await eventually(async () => expect((await coverage(lake))[0]).toMatchObject({ n_rows: 0n }))
  const kept = await quotes(lake, begun - 60 * second, end)
  expect(kept.filter(isPushed)).toEqual([])
  const lastRead = polls.findLast(({ at }) => at <= end)
  const wrong = latest(kept).filter((row) => {
    const [from, to] = [lastRead?.at ?? 0, lastRead?.end ?? 0].map((at) => Math.floor(at / second))
    return !Array.from({ length: (to ?? 0) - (from ?? 0) + 1 }, (_, n) => (from ?? 0) + n).some((at_s) =>
      isTrue(row, at_s),
    )
  })
  expect(wrong).toEqual([])
  expect(await close()).toContain('the test is over')
})
