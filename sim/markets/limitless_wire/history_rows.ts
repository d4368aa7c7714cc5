import type { Activity, World } from '#sim/markets/types.ts'
import { decimal } from '#sim/markets/wire/text.ts'
import { txHash } from '#sim/markets/world.ts'

import { displayedDate } from './descriptions.ts'
import { isMade } from './exposed_world.ts'

type Amount = (millionths: number) => string

/** A row of an account: a fill, or beyond the fills a row of activity. Amounts are raw integers or decimal numbers. */
export function historyText(
  world: World,
  row: number,
  { isRaw, now_s, ts_s }: { isRaw: boolean; now_s: number; ts_s: number },
): string {
  const { fills, matches } = world
  const amount: Amount = (millionths) => (isRaw ? `"${millionths}"` : `"${decimal(millionths)}"`)
  const other = world.activity[row - fills.length]
  const match = fills.match[row] ?? 0
  const [text, tx, market] =
    other === undefined
      ? [fillText(world, row, amount), matches.tx[match] ?? 0, matches.market[match] ?? -1]
      : [moveText(other, amount), other.tx, marketOf(world, other)]
  return (
    `{"blockTimestamp":${ts_s},${text},"tradeEventId":"${7_000_000 + row}","orderId":"${row >> 1}",` +
    `"transactionHash":"${txHash(world, tx)}","market":${marketText(world, market, now_s)}}`
  )
}

/** A fill of the order book, or with the maker; some of the latter have no price. */
function fillText({ fills, matches, markets }: World, fill: number, amount: Amount): string {
  const [size, cash, fee] = [fills.size[fill] ?? 0, fills.cash[fill] ?? 0, fills.fee[fill] ?? 0]
  const isBuy = fills.side[fill] === 0
  const isTaker = fills.isTaker[fill] === 1
  const outcome = fills.outcome[fill] ?? 0
  const both = outcome === 0 ? [size, 0] : [0, size]
  const market = markets[matches.market[fills.match[fill] ?? 0] ?? -1]
  const isWithMaker = market !== undefined && isMade(market)
  const side = isBuy ? 'Buy' : 'Sell'
  const strategy = isWithMaker ? side : `${isTaker && fill % 2 === 0 ? 'Market' : 'Limit'} ${side}`
  const price = isWithMaker && fill % 4 === 1 ? null : cash / size
  return (
    `"collateralAmount":${amount(isBuy ? cash + fee : cash - fee)},"outcomeTokenAmount":${amount(size)},` +
    `"outcomeTokenAmounts":[${both.map(amount).join(',')}],"outcomeIndex":${outcome},` +
    `"outcomeTokenPrice":${price},"strategy":"${strategy}","operation":"trade",` +
    `"makerMatchId":${isTaker ? 'null' : fill}`
  )
}

/** The amounts of a merge are twice the number of sets, as recorded; the cash is the number of sets. */
function moveText({ kind, size, cash }: Activity, amount: Amount): string {
  const strategy = kind === 'SPLIT' ? 'Split' : kind === 'MERGE' ? 'Merge' : 'Convert'
  const written = amount(kind === 'MERGE' ? 2 * size : size)
  return (
    `"collateralAmount":${amount(kind === 'CONVERSION' ? cash : size)},"outcomeTokenAmount":${written},` +
    `"outcomeTokenAmounts":[${written},${written}],"outcomeIndex":null,"outcomeTokenPrice":null,` +
    `"strategy":"${strategy}","operation":"${strategy.toLowerCase()}","makerMatchId":null`
  )
}

/** A conversion names the first question of its group. */
const marketOf = (world: World, { market, event }: Activity): number =>
  market >= 0 ? market : (world.events[event]?.markets[0] ?? -1)

function marketText(world: World, index: number, now_s: number): string {
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
