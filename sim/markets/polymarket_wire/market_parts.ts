import { day_s } from '#sim/markets/event_templates.ts'
import type { Event, Market, World } from '#sim/markets/types.ts'
import { bookOf } from '#sim/markets/wire/book.ts'
import type { Indexes } from '#sim/markets/wire/indexes.ts'
import { standingOf } from '#sim/markets/wire/standing.ts'
import { decimal, iso } from '#sim/markets/wire/text.ts'

import { spaced, textList } from './text.ts'

const dollar = 1_000_000

/** Prices of outcome 0; a missing one is absent. */
export function prices(world: World, indexes: Indexes, market: Market, now_s: number): object {
  if (market.kind === 'legacy') return legacyPrices(market)
  const { bid, ask, mid, last } = bookOf(world, indexes, market, now_s)
  const liquidity = 500 + ((market.index * 7919) % 90_000) / 7
  return {
    ...(mid !== null && { outcomePrices: textList([decimal(mid), decimal(dollar - mid)]) }),
    ...(bid !== null && { bestBid: bid / 1e6 }),
    ...(ask !== null && { bestAsk: ask / 1e6 }),
    ...(last !== null && { lastTradePrice: last / 1e6 }),
    spread: ((ask ?? dollar) - (bid ?? 0)) / 1e6,
    liquidity: String(liquidity),
    liquidityNum: liquidity,
    liquidityClob: liquidity,
  }
}

/** The oldest rows have no final price: zeros, or the last one. */
function legacyPrices(market: Market): object {
  const last = market.labels[0] === 'Long' ? ['0.6180339887498948482', '0.3819660112501051518'] : ['0', '0']
  const book = { bestBid: 0, bestAsk: 1, lastTradePrice: 0, spread: 1 }
  return { outcomePrices: textList(last), ...book, liquidity: '0', liquidityNum: 0 }
}

/** Volume in dollars, as text and number. Absent without trades, of all time or of the last day. */
export function volumes(indexes: Indexes, market: Market, now_s: number): object {
  if (market.kind === 'legacy') {
    return { volume: '48151.623421', volumeNum: 48151.62, volume24hr: 0, volume1wk: 0, volume1mo: 0, volume1yr: 0 }
  }
  const volume = indexes.volumeUntil(market.index, now_s)
  if (volume === 0) return {}
  const since = (days: number) => (volume - indexes.volumeUntil(market.index, now_s - days * day_s)) / 1e6
  const [all, day, week, month] = [volume / 1e6, since(1), since(7), since(30)]
  return {
    volume: String(all),
    volumeNum: all,
    volumeClob: all,
    ...(day > 0 && { volume24hr: day, volume24hrClob: day }),
    volume1wk: week,
    volume1mo: month,
    volume1yr: all,
    volume1wkClob: week,
    volume1moClob: month,
    volume1yrClob: all,
  }
}

/** The tokens, in the field of the version. Some markets of v1 have both fields. */
export function tokens({ version, tokenIds, kind, index }: Market): object {
  if (version === 'v2') return { version, clobTokenIds: null, positionIds: tokenIds }
  const others =
    kind === 'teams' && index % 2 === 0 ? { positionIds: [`0x01${'0'.repeat(60)}00`, `0x01${'0'.repeat(60)}01`] } : {}
  return { version, clobTokenIds: textList(tokenIds), ...others }
}

export function oracle(market: Market, now_s: number): object {
  const standing = standingOf(market, now_s)
  if (market.version === 'v2') return standing === 'open' || standing === 'closed' ? {} : { resolutionStatus: standing }
  if (standing === 'open' || standing === 'closed') return { umaResolutionStatuses: '[]' }
  const isDisputed = market.disputedAt_s !== null && now_s >= market.disputedAt_s
  const past = isDisputed ? ['proposed', 'disputed'] : ['proposed']
  const isResolved = standing === 'resolved'
  return {
    umaBond: '500',
    umaReward: '5',
    umaResolutionStatus: standing,
    umaResolutionStatuses: textList(isResolved ? [...past, 'resolved'] : past),
    ...(isResolved && { umaEndDate: iso(market.resolvedAt_s), automaticallyResolved: true }),
  }
}

/** A known start, in one of two fields and two forms. */
export function start({ startsBy, startsAt_s }: Event): object {
  if (startsBy === null || startsAt_s === null) return {}
  return startsBy === 'gameStartTime'
    ? { gameStartTime: spaced(startsAt_s), secondsDelay: 3 }
    : { eventStartTime: iso(startsAt_s) }
}

export function fees({ feeRate, kind }: Market): object {
  if (feeRate === 0) return { feesEnabled: false, feeType: null }
  const feeSchedule = { exponent: 1, rate: feeRate, rebateRate: 0.25, takerOnly: true }
  const feeType = kind === 'up_down' ? 'crypto_fees' : 'sports_fees_v2'
  return { feesEnabled: true, feeType, makerBaseFee: 1000, takerBaseFee: 1000, feeSchedule }
}
