import type { Asset } from '#text/dictionary/asset.ts'

import { cryptoTerms, otherThings } from './crypto_terms.ts'
import { addPhrase, emptyPhrases, type Phrases } from './phrases.ts'

/** The meaning of a phrase for the asset with the index; `crypto` and `other` mean none. */
export type Meaning = { kind: 'alias' | 'name' | 'context' | 'exclude' | 'crypto' | 'other'; asset: number }

/** The assets that hold at one instant, by all that a text can name them with. */
export type Index = {
  assets: readonly Asset[]
  phrases: Phrases<Meaning>
  /** By symbol in lower case, the largest asset of the symbol. */
  bySymbol: Map<string, number>
  byId: Map<string, number>
  /** By id, and by name with hyphens, as addresses of CoinGecko and CoinMarketCap have them. */
  bySlug: Map<string, number>
  /** By contract or mint. Several chains may share one. */
  byToken: Map<string, number>
}

/** Indexes assets, of which each id occurs once. Of one symbol, an untracked asset counts only if it is alone. */
export function indexAssets(assets: readonly Asset[]): Index {
  const phrases = emptyPhrases<Meaning>()
  const index: Index = {
    assets,
    phrases,
    bySymbol: symbolsOf(assets),
    byId: new Map(),
    bySlug: new Map(),
    byToken: new Map(),
  }
  for (const term of cryptoTerms) addPhrase(phrases, term, { kind: 'crypto', asset: -1 })
  for (const term of otherThings) addPhrase(phrases, term, { kind: 'other', asset: -1 })
  for (const [asset, row] of assets.entries()) {
    const { asset_id, name, aliases, context_any, exclude_any, tokens } = row
    if (isNameGated(row)) addPhrase(phrases, name, { kind: 'name', asset })
    for (const alias of aliases) addPhrase(phrases, alias, { kind: 'alias', asset })
    for (const term of context_any) addPhrase(phrases, term, { kind: 'context', asset })
    for (const phrase of exclude_any) addPhrase(phrases, phrase, { kind: 'exclude', asset })
    index.byId.set(asset_id, asset)
    if (!index.bySlug.has(slugOf(name))) index.bySlug.set(slugOf(name), asset)
    for (const token of tokens) index.byToken.set(token.slice(token.indexOf(':') + 1), asset)
  }
  for (const [id, asset] of index.byId) index.bySlug.set(id, asset)
  return index
}

/** Whether a name can count in a context: it is neither safe, nor read as the symbol, nor without any context. */
function isNameGated({ name, symbol, aliases, context_any, is_never_bare }: Asset): boolean {
  if (aliases.includes(name.toLowerCase())) return false
  return is_never_bare ? context_any.length > 0 : name.toLowerCase() !== symbol.toLowerCase()
}

function symbolsOf(assets: readonly Asset[]): Map<string, number> {
  const holders = new Map<string, number[]>()
  for (const [asset, { symbol }] of assets.entries()) {
    const key = symbol.toLowerCase()
    holders.set(key, [...(holders.get(key) ?? []), asset])
  }
  const rankOf = (asset: number): number => assets[asset]?.market_rank ?? Number.POSITIVE_INFINITY
  const largest = [...holders].flatMap(([symbol, held]): [string, number][] => {
    const first = held.reduce((best, asset) => (rankOf(asset) < rankOf(best) ? asset : best))
    return held.length === 1 || Number.isFinite(rankOf(first)) ? [[symbol, first]] : []
  })
  return new Map(largest)
}

const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
