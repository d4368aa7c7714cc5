import { systemAddresses, type World } from '#sim/markets/types.ts'
import { countUpTo, type Indexes } from '#sim/markets/wire/indexes.ts'
import type { Spoil } from '#sim/server/faults.ts'
import { list, param, whole, type Ask, type Instant, type Reply } from '#sim/server/reply.ts'

import { createRowWriter } from './rows.ts'

const maxOffset = 10_000
const maxLimit = { '/trades': 10_000, '/activity': 500 } as const

/** The Data API, version 1: bare arrays, paged by an offset that ends at 10,000. */
export function createDataV1(world: World, indexes: Indexes, spoil: Spoil): (ask: Ask, at: Instant) => Reply {
  const { fills } = world
  const rows = createRowWriter(world, indexes, 'v1', spoil)
  const all = Int32Array.from({ length: fills.length }, (_, fill) => fill)

  return ({ path, query }, at) => {
    if (path !== '/trades' && path !== '/activity') return { status: 404, body: '{"error":"not found"}' }
    const limit = whole(param(query, 'limit')) ?? 100
    const offset = whole(param(query, 'offset')) ?? 0
    if (Number.isNaN(limit)) return refuse('limit must be a whole number')
    if (Number.isNaN(offset) || offset > maxOffset)
      return refuse(`max historical activity offset of ${maxOffset} exceeded`)
    const page = { offset, limit: Math.min(limit, maxLimit[path]) }
    const user = param(query, 'user')?.toLowerCase()
    if (path === '/activity' && user === undefined) return refuse("required query param 'user' not provided")
    if (user !== undefined && !/^0x[0-9a-f]{40}$/.test(user)) return refuse('user is not an address')
    return path === '/trades' ? trades(query, user, page, at) : activity(query, user ?? '', page, at)
  }

  function trades(query: URLSearchParams, user: string | undefined, page: Page, at: Instant): Reply {
    const takerOnly = param(query, 'takerOnly') !== 'false'
    const side = param(query, 'side')?.toUpperCase()
    const isWanted = (fill: number) =>
      (!takerOnly || fills.isTaker[fill] === 1) &&
      (side === undefined || (fills.side[fill] === 0 ? 'BUY' : 'SELL') === side)
    return answer(rowsOf(query, user), query, page, at, isWanted, rows.trade)
  }

  function rowsOf(query: URLSearchParams, user: string | undefined): ArrayLike<number> {
    const markets = list(query, 'market')
    if (user !== undefined) return indexes.ofTrader[traderOf(user)] ?? []
    if (markets.length === 0) return all
    return Int32Array.from(
      markets.flatMap((id) => [...(indexes.ofMarket[indexes.marketByCondition.get(id) ?? -1] ?? [])]),
    ).sort()
  }

  function activity(query: URLSearchParams, user: string, page: Page, at: Instant): Reply {
    const types = new Set(list(query, 'type').map((type) => type.toUpperCase()))
    const hidesCash = param(query, 'excludeDepositsWithdrawals') !== 'false'
    const isWanted = (row: number) => {
      const { type } = indexes.describe(row)
      if (hidesCash && (type === 'DEPOSIT' || type === 'WITHDRAWAL')) return false
      return types.size === 0 || types.has(type)
    }
    return answer(indexes.activityOf(traderOf(user)), query, page, at, isWanted, rows.activity)
  }

  function answer(
    candidates: ArrayLike<number>,
    query: URLSearchParams,
    { offset, limit }: Page,
    at: Instant,
    isWanted: (row: number) => boolean,
    write: (row: number, now_s: number) => string,
  ): Reply {
    const from_s = whole(param(query, 'start')) ?? 0
    const to_s = Math.min(at.seen_s, whole(param(query, 'end')) ?? at.seen_s)
    const tsAt = (place: number) => indexes.tsOf(candidates[place] ?? 0)
    const first = countUpTo(candidates.length, tsAt, from_s - 1)
    const end = countUpTo(candidates.length, tsAt, to_s)
    const isAscending = param(query, 'sortDirection')?.toUpperCase() === 'ASC'
    const written: string[] = []
    let skipped = 0
    for (let i = 0; i < end - first && written.length < limit; i++) {
      const row = candidates[isAscending ? first + i : end - 1 - i]
      if (row === undefined || !isWanted(row)) continue
      if (skipped++ >= offset) written.push(write(row, at.now_s))
    }
    return { status: 200, body: `[${written.join(',')}]` }
  }

  function traderOf(user: string): number {
    return systemAddresses.some((address) => address === user) ? -1 : (indexes.traderByWallet.get(user) ?? -1)
  }
}

type Page = { offset: number; limit: number }

const refuse = (error: string): Reply => ({ status: 400, body: JSON.stringify({ error }) })
