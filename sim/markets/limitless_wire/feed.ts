import type { Market, World } from '#sim/markets/types.ts'
import type { Indexes } from '#sim/markets/wire/indexes.ts'
import { decimal } from '#sim/markets/wire/text.ts'
import { txHash } from '#sim/markets/world.ts'
import type { Spoil } from '#sim/server/faults.ts'

import { instant } from './descriptions.ts'
import { holderOf, type Answer } from './events.ts'
import { cachedAt, pageOf, positive } from './parameters.ts'

/** The largest page of the feed; a larger limit is reduced silently. */
const maxPage = 50

/**
 * `/markets/<slug>/get-feed-events` of a market of the automated maker: its trades and its funding, newest first, in
 * numbered pages. Every second market has a plain list, and another name of the time and of the trader.
 */
export function createFeed(world: World, indexes: Indexes, spoil: Spoil): Answer {
  return (market, query, at) => {
    const limit = Math.min(maxPage, positive(query, 'limit', 10))
    const seen_s = cachedAt(at.seen_s, 30, market.index)
    const isPlain = market.index % 2 === 0
    const trades = (indexes.ofMarket[market.index] ?? new Int32Array()).filter(
      (fill) => (world.fills.trader[fill] ?? -1) >= 0 && indexes.tsOf(fill) <= seen_s,
    )
    const texts = [
      ...Array.from(trades.toReversed(), (fill) =>
        spoil('trades', fill, tradeText(world, indexes, market, { fill, isPlain })),
      ),
      fundingText(market, isPlain),
    ]
    const from = (pageOf(query) - 1) * limit
    const list = `[${texts.slice(from, from + limit).join(',')}]`
    const body = isPlain ? list : `{"data":${list},"totalPages":${Math.ceil(texts.length / limit)}}`
    return { status: 200, body }
  }
}

function tradeText(
  { seed, fills, matches, traders }: World,
  indexes: Indexes,
  market: Market,
  { fill, isPlain }: { fill: number; isPlain: boolean },
): string {
  const trader = traders[fills.trader[fill] ?? -1]
  const holder = holderOf(trader)
  const cash = decimal(fills.cash[fill] ?? 0)
  const tx = txHash({ seed }, matches.tx[fills.match[fill] ?? 0] ?? 0)
  const named = JSON.stringify({ name: trader?.name ?? '', ...holder })
  return (
    `{"${isPlain ? 'createdAt' : 'timestamp'}":"${instant(indexes.tsOf(fill))}","id":${fill},"eventType":"NEW_TRADE",` +
    `"data":{"symbol":"USDC","txHash":"${tx}","address":"0x${market.conditionId.slice(2, 42)}",` +
    `"outcome":"${fills.outcome[fill] === 0 ? 'YES' : 'NO'}","strategy":"${fills.side[fill] === 0 ? 'Buy' : 'Sell'}",` +
    `"contracts":"${decimal(fills.size[fill] ?? 0)}","marketTitle":${JSON.stringify(market.question)},` +
    `"tradeAmount":"${cash}","tradeAmountUSD":"${cash}"},"${isPlain ? 'user' : 'profile'}":${named}}`
  )
}

const fundingText = (market: Market, isPlain: boolean): string =>
  JSON.stringify({
    [isPlain ? 'createdAt' : 'timestamp']: instant(market.createdAt_s),
    id: -market.index,
    eventType: 'FUNDED_MARKET',
    data: { name: market.question, volumeFormatted: '0' },
  })
