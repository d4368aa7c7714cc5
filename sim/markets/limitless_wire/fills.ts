import type { Indexes } from '#sim/markets/polymarket_wire/indexes.ts'
import { readCursor, readPage, writeCursor } from '#sim/markets/polymarket_wire/pages.ts'
import { decimal } from '#sim/markets/polymarket_wire/text.ts'
import type { Market, World } from '#sim/markets/types.ts'
import { txHash } from '#sim/markets/world.ts'
import type { Spoil } from '#sim/server/faults.ts'
import { param, type Instant, type Reply } from '#sim/server/reply.ts'

import { displayedDate, instant } from './descriptions.ts'
import { accountOf, cachedAt, limitOf, pageOf, Rejected } from './parameters.ts'

/** The routes of fills: those of a market, and the history of an account. */
export function createFills(world: World, indexes: Indexes, spoil: Spoil) {
  const { fills, matches } = world
  const takers = indexes.takersOfMarket.map((list) => list.filter((fill) => (fills.trader[fill] ?? -1) >= 0))

  return { events, history }

  /** `/markets/<slug>/events`: the taker's side of each match, newest first. */
  function events(market: Market, query: URLSearchParams, at: Instant): Reply {
    const limit = limitOf(query)
    const seen_s = cachedAt(at.seen_s, 30, market.index)
    const list = (takers[market.index] ?? new Int32Array()).filter((fill) => indexes.tsOf(fill) <= seen_s).toReversed()
    const from = (pageOf(query) - 1) * limit
    const rows = [...list.slice(from, from + limit)].map((fill) => spoil('trades', fill, eventText(fill, market)))
    // Two names of the list have been seen.
    const name = market.index % 2 === 0 ? 'events' : 'data'
    return { status: 200, body: `{"${name}":[${rows.join(',')}],"totalPages":${Math.ceil(list.length / limit)}}` }
  }

  function eventText(fill: number, market: Market): string {
    const trader = world.traders[fills.trader[fill] ?? -1]
    const [size, cash] = [fills.size[fill] ?? 0, fills.cash[fill] ?? 0]
    const isBuy = fills.side[fill] === 0
    const wallet = mixedCase(trader?.wallet ?? '')
    // Of every second trader the account is the owner of a smart wallet, which holds the shares.
    const isSmart = (trader?.index ?? 0) % 2 === 0
    const account = isSmart ? `0x${wallet.slice(2).split('').toReversed().join('')}` : wallet
    const [made, taken] = isBuy ? [cash, size] : [size, cash]
    return (
      `{"createdAt":"${instant(indexes.tsOf(fill))}","txHash":"${txOf(fill)}","side":${isBuy ? 0 : 1},` +
      `"price":${cash / size},"matchedSize":"${size}","makerAmount":"${made}","takerAmount":"${taken}",` +
      `"tokenId":"${market.tokenIds[fills.outcome[fill] ?? 0] ?? ''}","title":${JSON.stringify(market.question)},` +
      `"profile":{"id":${trader?.index ?? 0},"account":"${account}","displayName":${JSON.stringify(trader?.name ?? '')},` +
      `"smartWallet":${isSmart ? `"${wallet}"` : 'null'},"client":"${isSmart ? 'etherspot' : 'eoa'}","pfpUrl":null}}`
    )
  }

  /** `/portfolio/<account>/history`: by cursor. Every third account is still paged by number, with raw amounts. */
  function history(path: string, query: URLSearchParams, at: Instant): Reply {
    const account = accountOf(path)
    const limit = limitOf(query)
    const trader = indexes.traderByWallet.get(account)
    if (trader === undefined) throw new Rejected(404, 'Account not found')
    const isOld = trader % 3 === 0
    const list = indexes.activityOf(trader)
    const to_s = cachedAt(at.seen_s, 60, 0)
    const write = (row: number): string => spoil('activity', row, historyText(row, isOld, at))
    if (isOld) {
      const rows = [...list].filter((row) => indexes.tsOf(row) <= to_s).toReversed()
      const page = pageOf(query)
      const data = rows.slice((page - 1) * limit, page * limit).map(write)
      return {
        status: 200,
        body: `{"data":[${data.join(',')}],"page":${page},"limit":${limit},"totalCount":${rows.length}}`,
      }
    }
    // A cursor belongs to the filter of its list.
    const type = `${account} ${limit}`
    const text = param(query, 'cursor')
    const after = text === undefined ? undefined : readCursor(world.seed, type, text)
    if (text !== undefined && after === undefined) throw new Rejected(400, 'cursor does not belong to this filter')
    const walk = { list, tsOf: indexes.tsOf, from_s: 0, to_s, limit, isAscending: false, isWanted: () => true }
    const { rows, next } = readPage({ ...walk, after })
    const cursor = next === null ? 'null' : `"${writeCursor(world.seed, type, next)}"`
    return { status: 200, body: `{"data":[${rows.map(write).join(',')}],"nextCursor":${cursor}}` }
  }

  function historyText(row: number, isRaw: boolean, at: Instant): string {
    const amount = (millionths: number): string => (isRaw ? `"${millionths}"` : `"${decimal(millionths)}"`)
    const other = world.activity[row - fills.length]
    const text =
      other === undefined
        ? fillText(row, amount)
        : moveText(
            other.kind,
            other.kind === 'CONVERSION' ? [other.size, other.cash] : [other.size, other.size],
            amount,
          )
    const tx = other === undefined ? txOf(row) : txHash(world, other.tx)
    const index = other === undefined ? (matches.market[fills.match[row] ?? 0] ?? -1) : marketOf(other)
    return (
      `{"blockTimestamp":${indexes.tsOf(row)},${text},"tradeEventId":"${7_000_000 + row}","orderId":"${row >> 1}",` +
      `"transactionHash":"${tx}","market":${marketText(index, at)}}`
    )
  }

  function fillText(fill: number, amount: (millionths: number) => string): string {
    const [size, cash, fee] = [fills.size[fill] ?? 0, fills.cash[fill] ?? 0, fills.fee[fill] ?? 0]
    const isBuy = fills.side[fill] === 0
    const isTaker = fills.isTaker[fill] === 1
    const outcome = fills.outcome[fill] ?? 0
    const both = outcome === 0 ? [size, 0] : [0, size]
    return (
      `"collateralAmount":${amount(isBuy ? cash + fee : cash - fee)},"outcomeTokenAmount":${amount(size)},` +
      `"outcomeTokenAmounts":[${both.map(amount).join(',')}],"outcomeIndex":${outcome},` +
      `"outcomeTokenPrice":${cash / size},"strategy":"${isTaker && fill % 2 === 0 ? 'Market' : 'Limit'} ${isBuy ? 'Buy' : 'Sell'}",` +
      `"operation":"trade","makerMatchId":${isTaker ? 'null' : fill}`
    )
  }

  /** The amounts of a merge are twice the number of sets, as recorded; the cash is the number of sets. */
  function moveText(kind: string, [size, cash]: [number, number], amount: (millionths: number) => string): string {
    const strategy = kind === 'SPLIT' ? 'Split' : kind === 'MERGE' ? 'Merge' : 'Convert'
    const written = kind === 'MERGE' ? 2 * size : size
    return (
      `"collateralAmount":${amount(cash)},"outcomeTokenAmount":${amount(written)},` +
      `"outcomeTokenAmounts":[${amount(written)},${amount(written)}],"outcomeIndex":null,"outcomeTokenPrice":null,` +
      `"strategy":"${strategy}","operation":"${strategy.toLowerCase()}","makerMatchId":null`
    )
  }

  /** A conversion names the first question of its group. */
  function marketOf({ market, event }: World['activity'][number]): number {
    return market >= 0 ? market : (world.events[event]?.markets[0] ?? -1)
  }

  function marketText(index: number, { now_s }: Instant): string {
    const market = world.markets[index]
    if (market === undefined) throw new RangeError(`market ${index}: unknown; expected the index of a market`)
    return JSON.stringify({
      id: 100_000 + index,
      slug: market.slug,
      title: market.question,
      conditionId: market.conditionId,
      closed: now_s >= market.closedAt_s,
      expirationDate: displayedDate(market.endsAt_s),
      collateral: { symbol: 'USDC', decimals: 6 },
    })
  }

  function txOf(fill: number): string {
    return txHash(world, matches.tx[fills.match[fill] ?? 0] ?? 0)
  }
}

/** Addresses are written in mixed case. */
const mixedCase = (address: string): string => address.replaceAll(/[a-f](?=[0-9])/g, (letter) => letter.toUpperCase())
