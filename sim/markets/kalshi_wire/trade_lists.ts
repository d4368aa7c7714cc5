import { countUpTo } from '#sim/markets/wire/indexes.ts'
import type { Spoil } from '#sim/server/faults.ts'
import { whole, type Reply } from '#sim/server/reply.ts'
import { isoMicros } from '#time.ts'

import { BadRequest, cursorOf, limitOf, placeOf } from './market_lists.ts'
import { countField, dollars, type Generation } from './market_rows.ts'
import type { KalshiTrade } from './trades.ts'

export type TradeList = { trades: readonly KalshiTrade[]; generation: Generation; spoil: Spoil }

/** Trades of [from, to), newest first. Both ends of the requested window are included, in whole seconds. */
export function listTrades(
  { trades, generation, spoil }: TradeList,
  query: URLSearchParams,
  { from, to }: { from: number; to: number },
): Reply {
  const limit = limitOf(query)
  const min_s = whole(query.get('min_ts') ?? undefined) ?? 0
  const max_s = whole(query.get('max_ts') ?? undefined) ?? Infinity
  if (Number.isNaN(min_s) || Number.isNaN(max_s)) throw new BadRequest('invalid timestamp')
  const ticker = query.get('ticker')
  const countBefore = (at: number) => countUpTo(trades.length, (i) => trades[i]?.at ?? 0, at - 1)
  const first = countBefore(Math.max(from, min_s * 1e6))
  const end = Math.min(countBefore(Math.min(to, max_s * 1e6 + 1)), placeOf(query, 'trades') ?? Infinity)

  const page: KalshiTrade[] = []
  let cursor = ''
  for (let place = end - 1; place >= first; place--) {
    const trade = trades[place]
    if (trade === undefined || (ticker !== null && trade.ticker !== ticker)) continue
    if (page.length === limit) {
      cursor = cursorOf('trades', place + 1)
      break
    }
    page.push(trade)
  }
  const rows = page.map((trade) => spoil('trades', trade.index, JSON.stringify(rowOf(trade, generation))))
  return { status: 200, body: `{"cursor":"${cursor}","trades":[${rows.join(',')}]}` }
}

/** The older wire has cents and `taker_side`. For some time the newer one kept the latter. */
function rowOf(trade: KalshiTrade, generation: Generation): object {
  const { id, ticker, at, yes, taker, isBlock, count, index } = trade
  const row = {
    trade_id: id,
    ticker,
    created_time: `${isoMicros(at).replace(' ', 'T')}Z`,
    ...(Object.fromEntries(countField('count', count, generation)) as object),
    yes_price_dollars: dollars(yes * 100),
    no_price_dollars: dollars((10_000 - yes) * 100),
  }
  if (generation === 'cents') {
    const cents = Math.round(yes / 100)
    const block = isBlock ? { is_block_trade: true } : {}
    return { ...row, yes_price: cents, no_price: 100 - cents, price: cents / 100, taker_side: taker, ...block }
  }
  const former = index % 2 === 0 ? { taker_side: taker } : {}
  const sides = { taker_outcome_side: taker, taker_book_side: taker === 'yes' ? 'bid' : 'ask' }
  return { ...row, ...former, ...sides, is_block_trade: isBlock }
}
