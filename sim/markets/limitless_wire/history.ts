import type { World } from '#sim/markets/types.ts'
import type { Indexes } from '#sim/markets/wire/indexes.ts'
import { readCursor, readPage, writeCursor } from '#sim/markets/wire/pages.ts'
import type { Spoil } from '#sim/server/faults.ts'
import { param, type Instant, type Reply } from '#sim/server/reply.ts'

import { historyText } from './history_rows.ts'
import { accountOf, cachedAt, limitOf, pageOf, Rejected } from './parameters.ts'

/**
 * `/portfolio/<account>/history`: all fills, splits, merges and conversions of an account, newest first, by cursor.
 * Every third account is still paged by number, with raw amounts.
 */
export function createHistory(
  world: World,
  indexes: Indexes,
  spoil: Spoil,
): (name: string, query: URLSearchParams, at: Instant) => Reply {
  return (name, query, at) => {
    const account = accountOf(name)
    const limit = limitOf(query)
    const trader = indexes.traderByWallet.get(account)
    if (trader === undefined) throw new Rejected(404, 'Account not found')
    const isOld = trader % 3 === 0
    const list = indexes.activityOf(trader)
    const to_s = cachedAt(at.seen_s, 60, 0)
    const write = (row: number): string =>
      spoil('activity', row, historyText(world, row, { isRaw: isOld, now_s: at.now_s, ts_s: indexes.tsOf(row) }))
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
}
