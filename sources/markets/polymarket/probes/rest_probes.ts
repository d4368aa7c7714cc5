import { z } from 'zod'

import { HttpError, unless404 } from '#ingest/http/http.ts'
import type { Get } from '#ingest/http/request.ts'
import { millionths } from '#ingest/parse/decimals.ts'
import { dataHost, gammaHost } from '#sources/markets/polymarket/hosts.ts'
import { errorBodyOf, isNoAccount } from '#sources/markets/polymarket/wire/error_body.ts'
import { paramOf } from '#sources/markets/polymarket/wire/ids.ts'
import { gammaPages, tradePages } from '#sources/markets/polymarket/wire/paging.ts'
import { tradeRow, type Trade } from '#sources/markets/polymarket/wire/trade_rows.ts'
import { decided, undecided, type Finding, type Probe } from '#sources/markets/probe.ts'
import { SECOND } from '#time.ts'

/** Millionths of a share: the venue's default floor. */
const FLOOR = 10_000n
/** The pages of the feed in which dust is looked for. */
const DUST_PAGES = 5
/** The exchange of standard markets. */
const EXCHANGE = '0xe111180000d2663c0091e4f400237545b87b996b'
/** No market has this condition. */
const UNKNOWN = `0x${'1'.padStart(64, '0')}`
const FRESH_S = 30

const host = dataHost.name
const path = '/v2/trades'
const page = z.object({ data: z.array(z.unknown()) })

/** The facts that a request decides. */
export const restProbes: readonly Probe[] = [
  {
    fact: '/v2/trades with filter_amount=0.000001 shows fills of less than 0.01 shares',
    run: ({ get }) => showsDust(get),
  },
  {
    fact: '/v2/trades with filter_amount=0 leaves out fills of less than 0.01 shares',
    run: ({ get }) => hidesDust(get),
  },
  {
    fact: `/v2/trades with a changing parameter is at most ${FRESH_S} s old`,
    run: async ({ get, clock }) => {
      const [newest] = await rowsOf(get, { limit: 1, taker_only: true }, true)
      if (newest === undefined) return undecided('the feed is empty')
      const age_s = Math.round((clock() - newest.timestamp) / SECOND)
      return decided(age_s <= FRESH_S, `the newest trade is ${age_s} s old`)
    },
  },
  {
    fact: 'a contract of the protocol as user is refused with 400 and parameter user',
    run: ({ get }) => refusesExchange(get),
  },
  {
    fact: 'an unknown condition has an empty list, as a market without trades',
    run: async ({ get }) => {
      const { data } = await get({ host, path, query: { condition: UNKNOWN } }, page)
      return decided(data.length === 0, `${data.length} rows`)
    },
  },
  { fact: 'gamma lists markets of Protocol V2', run: ({ get }) => listsV2(get) },
  {
    fact: 'version 1 of the Data API is retired',
    run: async ({ get }) => {
      const answer = await unless404(get({ host, path: '/trades', query: { limit: 1 } }, z.array(z.unknown())))
      return decided(answer instanceof HttpError, answer instanceof HttpError ? 'answered 404' : 'answered 200')
    },
  },
]

async function showsDust(get: Get): Promise<Finding> {
  const { dust, n_rows } = await findDust(get)
  const [first] = dust
  // Without a fill of that size nothing is decided: few are traded.
  if (first === undefined) return undecided(`no such fill among the newest ${n_rows}`)
  return decided(true, `${dust.length} of the newest ${n_rows} fills, such as ${first.transaction_hash}`)
}

async function hidesDust(get: Get): Promise<Finding> {
  const { dust, n_rows } = await findDust(get)
  const [first] = dust
  if (first === undefined) return undecided(`no such fill among the newest ${n_rows}`)
  const query = { condition: paramOf(first.condition_id), filter_type: 'TOKENS', filter_amount: 0, taker_only: false }
  const rows = await rowsOf(get, { ...query, limit: 1000 }, true)
  const shown = rows.filter(isDust)
  return decided(shown.length === 0, `${shown.length} of ${rows.length} rows of its market`)
}

const isDust = ({ size }: Trade): boolean => millionths(size) < FLOOR

/** The fills below the floor among the newest. */
async function findDust(get: Get): Promise<{ dust: Trade[]; n_rows: number }> {
  const tally = { dust: [] as Trade[], n_rows: 0 }
  let n_pages = 0
  for await (const rows of tradePages(get, { taker_only: false })) {
    tally.n_rows += rows.length
    tally.dust.push(...parsed(rows).filter(isDust))
    n_pages += 1
    if (tally.dust.length > 0 || n_pages === DUST_PAGES) break
  }
  return tally
}

const parsed = (rows: readonly unknown[]): Trade[] =>
  rows.flatMap((row) => {
    const { success, data } = tradeRow.safeParse(row)
    return success ? [data] : []
  })

async function rowsOf(get: Get, query: Record<string, string | number | boolean>, isPastCache: true): Promise<Trade[]> {
  const { data } = await get({ host, path, query, isPastCache }, page)
  return parsed(data)
}

async function refusesExchange(get: Get): Promise<Finding> {
  try {
    const { data } = await get({ host, path, query: { user: EXCHANGE, limit: 1 } }, page)
    return decided(false, `answered 200 with ${data.length} rows`)
  } catch (error) {
    if (!(error instanceof HttpError) || error.status < 400 || error.status >= 500) throw error
    const { code, parameter } = errorBodyOf(error) ?? {}
    return decided(isNoAccount(error), `answered ${error.status}, code ${code}, parameter ${parameter}`)
  }
}

const version = z.object({ version: z.string().nullish(), clobTokenIds: z.unknown() })

async function listsV2(get: Get): Promise<Finding> {
  const counts = { all: 0, v2: 0, withoutTokens: 0 }
  for await (const rows of gammaPages(get, 'markets', { closed: false })) {
    for (const row of rows) {
      const { data } = version.safeParse(row)
      counts.all += 1
      if (data?.version !== 'v2') continue
      counts.v2 += 1
      if (data.clobTokenIds === null) counts.withoutTokens += 1
    }
  }
  const seen = `${counts.v2} of ${counts.all} open markets, ${counts.withoutTokens} of them without clobTokenIds`
  return decided(counts.v2 > 0, `${gammaHost.name}: ${seen}`)
}
