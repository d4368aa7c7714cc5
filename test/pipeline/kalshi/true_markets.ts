import { createMarketRows, statusOf } from '#sim/markets/kalshi_wire/market_rows.ts'
import { isListed, marketTicker } from '#sim/markets/kalshi_wire/tickers.ts'
import { tradesOf } from '#sim/markets/kalshi_wire/trades.ts'
import type { World } from '#sim/markets/types.ts'

const day = 86_400_000_000

/** The price and the volume of a day of a market of the simulated Kalshi, as the API serves both. */
export type TrueMarket = { id: string; yes_price: number; volume_24h: number; method: string }

/**
 * The true figures of each market at an instant: the payout; the middle of a narrow book; the last trade of the day on
 * the book; the venue's last price. The last two lie within the book, or are its side. Without any of these the method
 * is `none`. Trades before `seen` are known, settlements from `since` on.
 */
export function trueMarkets(world: World, at: number, { seen, since }: { seen: number; since: number }): TrueMarket[] {
  const trades = tradesOf(world)
  const { book } = createMarketRows(world, trades, 'dollars')
  const isKnown = ({ resolvedAt_s }: World['markets'][number]) => {
    const settled = resolvedAt_s * 1e6
    return settled > at || (settled >= since && settled < seen)
  }
  return world.markets
    .filter((market) => isListed(market) && market.createdAt_s * 1e6 <= at && isKnown(market))
    .map((market) => {
      const own = trades.filter((trade) => trade.market === market.index && trade.at > at - day && trade.at < seen)
      const cash = own.reduce((sum, { count, yes, taker }) => sum + count * (taker === 'yes' ? yes : 10_000 - yes), 0)
      const [last] = own.filter(({ isBlock }) => !isBlock).toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
      const { bid, ask, last: shown } = book(market, at / 1e6)
      const isOpen = statusOf(market, at / 1e6) === 'active'
      const priced = (method: string, millionths: number): TrueMarket => ({
        id: `kalshi:${marketTicker(world, market)}`,
        yes_price: millionths / 1e6,
        // Half a cent away from zero, from whole millionths.
        volume_24h: Math.floor((cash + 5_000) / 10_000) / 100,
        method,
      })
      if (market.payouts !== null && market.resolvedAt_s * 1e6 < seen) return priced('payout', market.payouts[0])
      if (isOpen && isNarrow(bid, ask)) return priced('mid', (bid + ask) / 2)
      const isWithin = (price: number): boolean => !isOpen || (price >= bid && price <= ask)
      if (last !== undefined && isWithin(last.yes * 100)) return priced('last_trade', last.yes * 100)
      const known = isOpen && shown > 0 ? shown : undefined
      if (known !== undefined && isWithin(known)) return priced('venue', known)
      const outside = last === undefined ? known : last.yes * 100
      if (outside === undefined) return priced('none', Number.NaN)
      return outside < bid ? priced('bid', bid) : priced('ask', ask)
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** Whether a book of millionths has a midpoint, which a wide book near 0 or 1 has not. */
function isNarrow(bid: number, ask: number): boolean {
  const spread = ask - bid
  const distance = Math.min(bid + ask, 2_000_000 - bid - ask) / 2
  return spread <= 10_000 || (spread <= 100_000 && spread <= distance)
}
