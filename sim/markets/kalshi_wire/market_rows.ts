import type { Market, World } from '#sim/markets/types.ts'
import { bookOf } from '#sim/markets/wire/book.ts'
import { createIndexes } from '#sim/markets/wire/indexes.ts'
import { standingOf } from '#sim/markets/wire/standing.ts'
import { iso } from '#sim/markets/wire/text.ts'

import { eventTicker, isListed, marketTicker, seriesTicker } from './tickers.ts'
import { hasFineTicks, totalsOf, type KalshiTrade } from './trades.ts'

/** The generations of the wire: prices in cents beside dollars, or strings of dollars and fractions alone. */
export type Generation = 'cents' | 'dollars'

const preparation_s = 300
const day_s = 86_400
const dollar = 1_000_000

/** The state of a row. Filters have other names. */
export function statusOf(market: Market, now_s: number): string {
  const standing = standingOf(market, now_s)
  if (standing === 'resolved') return 'finalized'
  if (standing === 'disputed') return 'disputed'
  if (standing === 'proposed') return 'determined'
  if (standing === 'closed') return 'closed'
  if (now_s < market.createdAt_s + preparation_s) return 'initialized'
  const isPaused = now_s >= (market.pausedAt_s ?? Infinity) && now_s < (market.resumedAt_s ?? -Infinity)
  return isPaused ? 'inactive' : 'active'
}

/** The prices of YES in millionths, as the venue shows them; a missing side is 0 or 1. */
export type KalshiBook = { bid: number; ask: number; last: number }

/** Rows of markets, as the venue shows them at an instant. */
export function createMarketRows(world: World, trades: readonly KalshiTrade[], generation: Generation) {
  const indexes = createIndexes(world)
  const totals = totalsOf(trades)

  /** From the close on, the book is empty: 0 and 1. */
  function book(market: Market, now_s: number): KalshiBook {
    const last = totals.lastBefore(market.index, now_s * 1_000_000) * 100
    if (statusOf(market, now_s) !== 'active') return { bid: 0, ask: dollar, last }
    const tick = hasFineTicks(market.index) ? 100 : market.tick
    const { bid, ask } = bookOf(world, indexes, { ...market, tick }, now_s)
    return { bid: bid ?? 0, ask: ask ?? dollar, last }
  }

  function row(market: Market, now_s: number): object {
    const event = world.events[market.event]
    const status = statusOf(market, now_s)
    const isOver = now_s >= market.closedAt_s
    const contracts = totals.countBefore(market.index, now_s * 1_000_000)
    const dayBefore = totals.countBefore(market.index, (now_s - day_s) * 1_000_000)
    const { bid, ask, last } = book(market, now_s)
    const expires_s = market.endsAt_s + 14 * day_s
    const [yes] = market.labels
    return {
      ticker: marketTicker(world, market),
      event_ticker: event === undefined ? '' : eventTicker(event),
      market_type: 'binary',
      title: market.question,
      yes_sub_title: market.groupItemTitle === '' ? yes : market.groupItemTitle,
      no_sub_title: market.groupItemTitle === '' ? yes : market.groupItemTitle,
      // The oldest rows have no time of creation.
      created_time: market.index % 9 === 0 ? '0001-01-01T00:00:00Z' : iso(market.createdAt_s, 6),
      open_time: iso(market.createdAt_s + preparation_s),
      // Planned at first, and rewritten to the actual close.
      close_time: iso(isOver ? market.closedAt_s : expires_s),
      expected_expiration_time: iso(market.endsAt_s),
      expiration_time: iso(expires_s),
      latest_expiration_time: iso(expires_s),
      occurrence_datetime: iso(market.endsAt_s),
      can_close_early: true,
      exchange_index: 0,
      status,
      ...settlement(market, status),
      ...prices({ bid, ask, last }, generation),
      ...counts({ volume: contracts, volume_24h: contracts - dayBefore, open_interest: contracts }, generation),
      liquidity_dollars: '0.0000',
      notional_value_dollars: '1.0000',
      ...grid(market),
      strike_type: 'custom',
      rules_primary: `If ${market.question}, then the market resolves to Yes.`,
      rules_secondary: '',
      settlement_timer_seconds: 120,
    }
  }

  return {
    book,
    row,
    listed: world.markets.filter(isListed),
    seriesOf: (market: Market) => {
      const event = world.events[market.event]
      return event === undefined ? '' : seriesTicker(event)
    },
  }
}

/** The value of YES. A cancelled or shared market pays a part, as a scalar one does. */
function settlement({ payouts, resolvedAt_s }: Market, status: string): object {
  if (status !== 'finalized' || payouts === null) return { result: '', expiration_value: '' }
  const [yes] = payouts
  const result = yes === dollar ? 'yes' : yes === 0 ? 'no' : 'scalar'
  return {
    result,
    expiration_value: result,
    settlement_ts: iso(resolvedAt_s),
    settlement_value_dollars: dollars(yes),
  }
}

function prices({ bid, ask, last }: KalshiBook, generation: Generation): object {
  const quotes = { yes_bid: bid, yes_ask: ask, no_bid: dollar - ask, no_ask: dollar - bid, last_price: last }
  return Object.fromEntries(
    Object.entries(quotes).flatMap(([name, price]) => [
      [`${name}_dollars`, dollars(price)],
      ...(generation === 'cents' ? [[name, Math.round(price / 10_000)]] : []),
    ]),
  ) as object
}

/** The older wire has whole contracts, and fractions beside them where there are any. */
const counts = (quantities: Record<string, number>, generation: Generation): object =>
  Object.fromEntries(
    Object.entries(quantities).flatMap(([name, hundredths]) => countField(name, hundredths, generation)),
  )

export const countField = (name: string, hundredths: number, generation: Generation): [string, unknown][] => [
  ...(generation === 'cents' ? [[name, Math.round(hundredths / 100)] as [string, unknown]] : []),
  ...(generation === 'dollars' || hundredths % 100 !== 0
    ? [[`${name}_fp`, (hundredths / 100).toFixed(2)] as [string, unknown]]
    : []),
]

const grid = ({ index, tick }: Market): object => {
  const step = hasFineTicks(index) ? '0.0001' : dollars(tick)
  return {
    price_level_structure: hasFineTicks(index) ? 'center_deci_cent' : tick === 10_000 ? 'linear_cent' : 'deci_cent',
    price_ranges: [{ start: '0.0000', end: '1.0000', step }],
  }
}

/** Millionths of a dollar with the venue's four decimals. */
export const dollars = (millionths: number): string => (millionths / dollar).toFixed(4)
