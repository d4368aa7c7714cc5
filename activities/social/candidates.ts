import { z } from 'zod'

import type { LakeReader } from '#lake/reader.ts'

/** An asset of the dictionary, as far as a candidate needs it. */
export type DictionaryEntry = {
  symbol: string
  name: string
  is_tracked: boolean
  is_never_bare: boolean
  aliases: readonly string[]
  context_any: readonly string[]
  tokens: readonly string[]
}

/** Whether a text may mention an asset. The matcher decides later; this only leaves out texts without any sign. */
export type IsCandidate = (text: string) => boolean

/** The entries of the dictionary in the lake, the last of each asset. */
export const dictionaryIn = (lake: LakeReader): Promise<DictionaryEntry[]> =>
  lake.query(
    `select symbol, name, is_tracked, is_never_bare, aliases, context_any, tokens from lake.assets
     qualify row_number() over (partition by asset_id order by valid_at desc, seen_at desc) = 1`,
    z.object({
      symbol: z.string(),
      name: z.string(),
      is_tracked: z.boolean(),
      is_never_bare: z.boolean(),
      aliases: z.array(z.string()),
      context_any: z.array(z.string()),
      tokens: z.array(z.string()),
    }),
  )

const tokenPattern = /[$#]?[\p{L}\p{N}_]+/gu
/** A cashtag of letters. `$100` and `$5k` are prices. */
const cashtag = /^\$\p{L}[\p{L}\p{N}]{1,9}$/u
/** Shorter tickers in capitals are words too often. */
const LEAST_TICKER = 3

/**
 * The signs of an asset: a cashtag, a hashtag of a symbol or name, the address of a token, a name or alias, a ticker in
 * capitals. Of an asset that is never counted from a bare word, a word of its context must stand beside it. Without a
 * dictionary only cashtags count.
 */
export function candidates(entries: readonly DictionaryEntry[]): IsCandidate {
  const [tags, tickers, tokens] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const names = new Map<string, { words: readonly string[]; context: ReadonlySet<string> | null }[]>()
  for (const entry of entries) {
    const symbol = entry.symbol.toLowerCase()
    tags.add(symbol)
    for (const token of entry.tokens) tokens.add((token.split(':')[1] ?? token).toLowerCase())
    if (entry.is_tracked && !entry.is_never_bare && symbol.length >= LEAST_TICKER) tickers.add(symbol.toUpperCase())
    const context = entry.is_never_bare ? new Set(entry.context_any.map((word) => word.toLowerCase())) : null
    for (const name of [entry.name, ...entry.aliases, ...(context === null ? [] : [symbol])]) {
      const words = name.toLowerCase().match(tokenPattern) ?? []
      const [first] = words
      if (first === undefined) continue
      tags.add(words.join(''))
      names.set(first, [...(names.get(first) ?? []), { words, context }])
    }
  }
  return (text) => {
    const found = text.match(tokenPattern) ?? []
    const lower = found.map((token) => token.toLowerCase())
    return lower.some((token, n) => {
      if (cashtag.test(token)) return tags.size === 0 || tags.has(token.slice(1))
      if (token.startsWith('#')) return tags.has(token.slice(1))
      if (tokens.has(token) || tickers.has(found[n] ?? '')) return true
      const at = (names.get(token) ?? []).filter(({ words }) => words.every((word, i) => lower[n + i] === word))
      return at.some(({ context }) => context === null || lower.some((word) => context.has(word)))
    })
  }
}
