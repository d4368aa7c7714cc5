import type { Activity, Market, World } from '#sim/markets/types.ts'
import type { SimulatedVenue } from '#sim/markets/venue.ts'
import { bookOf } from '#sim/markets/wire/book.ts'
import { createIndexes } from '#sim/markets/wire/indexes.ts'
import { txHash } from '#sim/markets/world.ts'
import { json } from '#sim/server/reply.ts'

const kinds: Partial<Record<Activity['kind'], string>> = {
  SPLIT: 'split',
  MERGE: 'merge',
  REDEEM: 'redeem',
  REWARD: 'reward',
  MAKER_REBATE: 'rebate',
  DEPOSIT: 'deposit',
  WITHDRAWAL: 'withdrawal',
}

/** Conversions and combos are left out. */
export const manifold: SimulatedVenue = {
  urls: (url) => ({ manifold: `${url}/manifold` }),
  create: (world) => {
    const indexes = createIndexes(world)
    const bySlug = new Map(world.markets.map((market) => [market.slug, market]))
    return {
      manifold: ({ path }, { now_s }) => {
        const [, list, name = '', of] = path.split('/')
        const trader = indexes.traderByWallet.get(name) ?? -1
        const isShown = (row: number): boolean => indexes.tsOf(row) <= now_s
        const trades = (rows: ArrayLike<number> = []): object[] =>
          Array.from(rows)
            .filter(isShown)
            .flatMap((row) => tradeOf(world, row))
        if (list === 'markets') {
          const shown = world.markets.filter(({ kind, createdAt_s }) => kind !== 'legacy' && createdAt_s <= now_s)
          return json(shown.map((market) => ({ ...describe(world, market, now_s), ...book(market, now_s) })))
        }
        if (list === 'trades') return json(trades(indexes.ofMarket[bySlug.get(name)?.index ?? -1]))
        if (of === 'trades') return json(trades(indexes.ofTrader[trader]))
        return json(world.activity.filter((row) => row.trader === trader && row.ts_s <= now_s).flatMap(moveOf))
      },
    }

    function book(market: Market, now_s: number): object {
      const { bid, ask, last } = bookOf(world, indexes, market, now_s)
      return { bid, ask, last }
    }

    function moveOf({ kind, ts_s, tx, trader, market, size, cash }: Activity): object[] {
      const slug = world.markets[market]?.slug ?? ''
      const wallet = world.traders[trader]?.wallet ?? ''
      const name = kinds[kind]
      return name === undefined ? [] : [{ ts_s, tx: txHash(world, tx), slug, trader: wallet, kind: name, size, cash }]
    }
  },
  damages: { trades: [], activity: [], markets: [], resolutions: [] },
  limits: [],
}

const describe = (world: World, market: Market, now_s: number): object => ({
  slug: market.slug,
  event: world.events[market.event]?.slug ?? '',
  question: market.question,
  labels: market.labels,
  created_s: market.createdAt_s,
  ends_s: market.endsAt_s,
  closed_s: market.closedAt_s <= now_s ? market.closedAt_s : null,
  resolved_s: market.resolvedAt_s <= now_s ? market.resolvedAt_s : null,
  payouts: market.payouts,
})

function tradeOf(world: World, row: number): object[] {
  const { fills, matches } = world
  const match = fills.match[row] ?? 0
  const market = world.markets[matches.market[match] ?? -1]
  const trader = world.traders[fills.trader[row] ?? -1]
  if (market === undefined || trader === undefined) return []
  return [
    {
      ts_s: matches.ts_s[match],
      tx: txHash(world, matches.tx[match] ?? 0),
      slug: market.slug,
      trader: trader.wallet,
      outcome: fills.outcome[row],
      side: fills.side[row] === 0 ? 'buy' : 'sell',
      role: fills.isTaker[row] === 1 ? 'taker' : 'maker',
      size: fills.size[row],
      cash: fills.cash[row],
      fee: fills.fee[row],
    },
  ]
}
