import type { Market, Trader, World } from '#sim/markets/types.ts'
import type { Indexes } from '#sim/markets/wire/indexes.ts'
import { txHash } from '#sim/markets/world.ts'
import type { Spoil } from '#sim/server/faults.ts'
import type { Instant, Reply } from '#sim/server/reply.ts'

import { instant } from './descriptions.ts'
import { cachedAt, limitOf, pageOf } from './parameters.ts'

export type Answer = (market: Market, query: URLSearchParams, at: Instant) => Reply

/** `/markets/<slug>/events`: the taker's side of each match of a market, newest first, in numbered pages. */
export function createEvents(world: World, indexes: Indexes, spoil: Spoil): Answer {
  const { fills } = world
  const takers = indexes.takersOfMarket.map((list) => list.filter((fill) => (fills.trader[fill] ?? -1) >= 0))
  return (market, query, at) => {
    const limit = limitOf(query)
    const seen_s = cachedAt(at.seen_s, 30, market.index)
    const list = (takers[market.index] ?? new Int32Array()).filter((fill) => indexes.tsOf(fill) <= seen_s).toReversed()
    const from = (pageOf(query) - 1) * limit
    const rows = Array.from(list.slice(from, from + limit), (fill) =>
      spoil('trades', fill, eventText(world, indexes, market, fill)),
    )
    // Two names of the list have been seen.
    const name = market.index % 2 === 0 ? 'events' : 'data'
    return { status: 200, body: `{"${name}":[${rows.join(',')}],"totalPages":${Math.ceil(list.length / limit)}}` }
  }
}

function eventText({ seed, fills, matches, traders }: World, indexes: Indexes, market: Market, fill: number): string {
  const trader = traders[fills.trader[fill] ?? -1]
  const [size, cash] = [fills.size[fill] ?? 0, fills.cash[fill] ?? 0]
  const isBuy = fills.side[fill] === 0
  const { account, smartWallet } = holderOf(trader)
  const [made, taken] = isBuy ? [cash, size] : [size, cash]
  const tx = txHash({ seed }, matches.tx[fills.match[fill] ?? 0] ?? 0)
  return (
    `{"createdAt":"${instant(indexes.tsOf(fill))}","txHash":"${tx}","side":${isBuy ? 0 : 1},` +
    `"price":${cash / size},"matchedSize":"${size}","makerAmount":"${made}","takerAmount":"${taken}",` +
    `"tokenId":"${market.tokenIds[fills.outcome[fill] ?? 0] ?? ''}","title":${JSON.stringify(market.question)},` +
    `"profile":{"id":${trader?.index ?? 0},"account":"${account}","displayName":${JSON.stringify(trader?.name ?? '')},` +
    `"smartWallet":${JSON.stringify(smartWallet)},"client":"${smartWallet === null ? 'eoa' : 'etherspot'}","pfpUrl":null}}`
  )
}

/**
 * The addresses of a trader. Of every second trader the account is the owner of a smart wallet, which holds the shares.
 */
export function holderOf(trader: Trader | undefined): { account: string; smartWallet: string | null } {
  const wallet = mixedCase(trader?.wallet ?? '')
  if ((trader?.index ?? 0) % 2 !== 0) return { account: wallet, smartWallet: null }
  return { account: `0x${wallet.slice(2).split('').toReversed().join('')}`, smartWallet: wallet }
}

/** Addresses are written in mixed case. */
const mixedCase = (address: string): string => address.replaceAll(/[a-f](?=[0-9])/g, (letter) => letter.toUpperCase())
