import { z } from 'zod'

import type { Micros } from '#time.ts'

import type { Asset } from './asset.ts'
import { N_TRACKED } from './parse_assets.ts'
import { assetsAt } from './shipped.ts'

/** CoinGecko's `/coins/list`: every coin. */
export const coinsShape = z.array(z.object({ id: z.string(), symbol: z.string(), name: z.string() }))

/** CoinGecko's `/coins/markets`: a page of the largest coins. */
export const marketsShape = z.array(
  z.object({
    id: z.string(),
    symbol: z.string(),
    name: z.string(),
    market_cap: z.number().nullable(),
    market_cap_rank: z.number().int().nullable(),
  }),
)

/** Tokens as Uniswap's lists have them, alone or below `tokens`. */
const tokenShape = z.object({ chainId: z.number(), address: z.string(), symbol: z.string(), name: z.string() })
export const tokensShape = z.union([
  z.array(tokenShape),
  z.object({ tokens: z.array(tokenShape) }).transform(({ tokens }) => tokens),
])

/** Public lists, each of which may be empty. */
export type Lists = {
  coins: z.output<typeof coinsShape>
  markets: z.output<typeof marketsShape>
  tokens: z.output<typeof tokensShape>
}

/** A choice of the operator: more rows of assets, and ids that are tracked or not whatever their rank. */
export type Overrides = { assets: readonly Asset[]; track: ReadonlySet<string>; untrack: ReadonlySet<string> }

/**
 * Joins what is known of assets with lists as of an instant. Rows of `overrides` replace those of their asset. Former
 * rows stay; a row that the lists change is added with `valid_at` at the instant. A coin of the lists alone is found by
 * its id or cashtag only. The {@link N_TRACKED} largest are tracked: by the ranks of the markets, then by the known
 * ones. `chainOf` names a chain by its id.
 */
export function joinLists(
  stored: readonly Asset[],
  lists: Lists,
  overrides: Overrides,
  { at, chainOf }: { at: Micros; chainOf: (id: number) => string | undefined },
): Asset[] {
  const replaced = new Set(overrides.assets.map(({ asset_id }) => asset_id))
  const former = [...stored.filter(({ asset_id }) => !replaced.has(asset_id)), ...overrides.assets]
  const ids = new Set(former.map(({ asset_id }) => asset_id))
  const listed = [...lists.coins, ...lists.markets].filter(({ id }) => !ids.has(id))
  const added = [...new Map(listed.map((coin) => [coin.id, coin])).values()].map((coin) => blankAsset(coin, at))
  const before = new Map(assetsAt(former, at).map((asset) => [asset.asset_id, asset]))
  const placed = withTokens([...before.values(), ...added], lists.tokens, chainOf)
  const ranked = withRanks(placed, lists.markets)
  const current = lists.markets.length > 0 ? trackLargest(ranked) : ranked
  const changed = current
    .map((asset) => ({ ...asset, is_tracked: isTracked(asset, overrides) }))
    .filter((asset) => JSON.stringify(asset) !== JSON.stringify(before.get(asset.asset_id)))
  return [...former, ...changed.map((asset) => ({ ...asset, valid_at: at }))]
}

const isTracked = ({ asset_id, is_tracked }: Asset, { track, untrack }: Overrides): boolean =>
  track.has(asset_id) || (is_tracked && !untrack.has(asset_id))

/** Ranks and dominances of the markets. The known ranks of other assets follow those of the markets. */
function withRanks(assets: readonly Asset[], markets: Lists['markets']): Asset[] {
  if (markets.length === 0) return [...assets]
  const ranks = new Map(markets.map(({ id, market_cap_rank }) => [id, market_cap_rank]))
  const dominances = dominancesOf(markets)
  const last = Math.max(...markets.map(({ market_cap_rank }) => market_cap_rank ?? 0))
  return assets.map((asset) => ({
    ...asset,
    market_rank: ranks.get(asset.asset_id) ?? (asset.market_rank === null ? null : last + asset.market_rank),
    dominance: dominances.get(asset.asset_id) ?? null,
  }))
}

function trackLargest(assets: readonly Asset[]): Asset[] {
  const largest = assets
    .filter(({ name, market_rank }) => market_rank !== null && !isForm(name))
    .toSorted((a, b) => (a.market_rank ?? 0) - (b.market_rank ?? 0))
    .slice(0, N_TRACKED)
  const ids = new Set(largest.map(({ asset_id }) => asset_id))
  return assets.map((asset) => ({ ...asset, is_tracked: ids.has(asset.asset_id) }))
}

/** Whether a coin is a wrapped, bridged or staked form of another, which posts name by the other. */
const isForm = (name: string): boolean =>
  /\b(wrapped|bridged|staked|restaked|peg)\b|^wrapped|^staked|\bsteth\b|\bweth\b/i.test(name)

/** Market value / that of the next coin with the same symbol. */
function dominancesOf(markets: Lists['markets']): Map<string, number> {
  const bySymbol = new Map<string, { id: string; cap: number }[]>()
  for (const { id, symbol, market_cap } of markets) {
    const key = symbol.toLowerCase()
    bySymbol.set(key, [...(bySymbol.get(key) ?? []), { id, cap: market_cap ?? 0 }])
  }
  const dominances = new Map<string, number>()
  for (const coins of bySymbol.values()) {
    for (const { id, cap } of coins) {
      const next = Math.max(0, ...coins.filter((coin) => coin.id !== id).map((coin) => coin.cap))
      if (next > 0) dominances.set(id, cap / next)
    }
  }
  return dominances
}

const blankAsset = ({ id, symbol, name }: { id: string; symbol: string; name: string }, at: Micros): Asset => ({
  asset_id: id,
  valid_at: at,
  symbol: symbol.toUpperCase(),
  name,
  market_rank: null,
  dominance: null,
  is_tracked: false,
  is_never_bare: true,
  aliases: [],
  context_any: [],
  exclude_any: [],
  tokens: [],
})

/** A token belongs to the asset of its symbol whose name its own begins with; to none if several do. */
function withTokens(
  assets: readonly Asset[],
  tokens: Lists['tokens'],
  chainOf: (id: number) => string | undefined,
): Asset[] {
  const bySymbol = new Map<string, Asset[]>()
  for (const asset of assets) {
    const key = asset.symbol.toLowerCase()
    bySymbol.set(key, [...(bySymbol.get(key) ?? []), { ...asset, tokens: [...asset.tokens] }])
  }
  for (const { chainId, address, symbol, name } of tokens) {
    const chain = chainOf(chainId)
    const named = (bySymbol.get(symbol.toLowerCase().replace(/^\$/, '')) ?? []).filter((asset) =>
      plain(name).startsWith(plain(asset.name)),
    )
    const [only] = named
    if (chain === undefined || only === undefined || named.length > 1) continue
    const token = `${chain}:${/^0x/i.test(address) ? address.toLowerCase() : address}`
    if (!only.tokens.includes(token)) only.tokens.push(token)
  }
  return [...bySymbol.values()].flat().map((asset) => ({ ...asset, tokens: asset.tokens.toSorted() }))
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
