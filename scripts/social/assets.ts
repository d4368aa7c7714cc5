import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'

import { openLake } from '#lake/lake.ts'
import { chains } from '#registry/chains/registry.ts'
import { storeAssets } from '#sources/social/store_assets.ts'
import { coinsShape, joinLists, marketsShape, tokensShape } from '#text/dictionary/lists.ts'
import { noOverrides, parseOverrides } from '#text/dictionary/overrides.ts'
import { assetsAt, shippedAssets } from '#text/dictionary/shipped.ts'
import { machineClock } from '#time.ts'

import { readList } from './dictionary/read_list.ts'

/**
 * `npx tsx scripts/social/assets.ts [--home data] [--coins <list>] [--markets <list>]... [--tokens <list>]...
 * [--overrides <file>] [--at 2026-11-20]`: stores the dictionary of assets in the lake of a home. It joins the shipped
 * assets with public lists, each a path or an address of JSON:
 *
 * - `--coins`: CoinGecko's `/api/v3/coins/list`, all coins;
 * - `--markets`: pages of CoinGecko's `/api/v3/coins/markets?vs_currency=usd&per_page=250`; the 300 largest are tracked;
 * - `--tokens`: token lists in the format of Uniswap's, for contracts.
 *
 * `text/dictionary/overrides.ts` describes the file of overrides. The lists may not be redistributed by all of their
 * publishers, so the repository has none of them.
 */
const { values } = parseArgs({
  options: {
    home: { type: 'string', default: 'data' },
    coins: { type: 'string' },
    markets: { type: 'string', multiple: true, default: [] },
    tokens: { type: 'string', multiple: true, default: [] },
    overrides: { type: 'string' },
    at: { type: 'string' },
    database: { type: 'string' },
  },
})
const MINUTE = 60_000_000
/** The number that Uniswap's lists give to Solana. */
const SOLANA = 501_000_101
const given = values.at === undefined ? machineClock() : Date.parse(values.at) * 1000
if (Number.isNaN(given)) throw new Error(`--at ${values.at}: no date; expected one such as 2026-11-20`)
const at = given - (given % MINUTE)

const lists = {
  coins: values.coins === undefined ? [] : await readList(values.coins, coinsShape),
  markets: (await Promise.all(values.markets.map((list) => readList(list, marketsShape)))).flat(),
  tokens: (await Promise.all(values.tokens.map((list) => readList(list, tokensShape)))).flat(),
}
const overrides =
  values.overrides === undefined ? noOverrides : parseOverrides(await readFile(values.overrides, 'utf8'))
const slugs = new Map(chains.map(({ id, slug }) => [id, slug]))
const chainOf = (id: number): string | undefined => (id === SOLANA ? 'solana' : slugs.get(id))
const assets = joinLists(shippedAssets(), lists, overrides, { at, chainOf })

const lake = await openLake(values.home, { threads: 1, memory: '512MB' }, values.database)
try {
  const asked = [values.coins ?? [], values.markets, values.tokens].flat()
  const n_rows = await storeAssets(lake, assets, at, asked)
  const held = assetsAt(assets, at)
  const n_tracked = held.filter(({ is_tracked }) => is_tracked).length
  const n_tokens = held.reduce((sum, { tokens }) => sum + tokens.length, 0)
  console.log(`${n_rows} rows of assets, ${n_tracked} tracked, ${n_tokens} contracts`)
} finally {
  await lake.close()
}
