import type { Index } from './index_assets.ts'
import type { Mention, Tier } from './mention.ts'
import type { Words } from './tokens.ts'

/** The state of the reading of one text. */
export type Reading = Words & {
  index: Index
  text: string
  /** Whether anything shows that the post is about crypto. */
  isCrypto: boolean
  mentions: Mention[]
  /** Cashtags; `symbol` as it is written, `isMarked` with the suffix of crypto assets. */
  cashtags: { mention: Mention; symbol: string; isMarked: boolean; isTracked: boolean }[]
  /** Mentions that count if the whole text gives their context. */
  gated: { mention: Mention; asset: number; needsOwn: boolean }[]
  /** Assets with a term of their context in the text. */
  context: Set<number>
  /** Assets with a phrase in the text that rules them out. */
  excluded: Set<number>
  /** Whether the cashtags follow the usage of stocks: a plain stock, or crypto assets with a suffix. */
  hasStock: boolean
}

/** A mention of the asset with the index at `[start, end)`. */
export const mentionOf = (index: Index, asset: number, tier: Tier, start: number, end: number): Mention => ({
  asset_id: index.assets[asset]?.asset_id ?? '',
  tier,
  start,
  end,
})

/** A word before it may be cut off. */
const ELLIPSIS = 0x2026

/**
 * Keeps a mention until the whole text is read. A name needs a context of its own if the asset has one, or if it is
 * written as a common word is: in lower case and without a hash.
 */
export function gate(reading: Reading, asset: number, start: number, end: number, isName: boolean): void {
  const { index, text, lower } = reading
  const { context_any } = index.assets[asset] ?? { context_any: [] }
  if (text.charCodeAt(end) === ELLIPSIS) return
  const isWord = text.charCodeAt(start) === lower.charCodeAt(start) && text[start - 1] !== '#'
  const mention = mentionOf(index, asset, 4, start, end)
  reading.gated.push({ mention, asset, needsOwn: isName && (context_any.length > 0 || isWord) })
}

/** Adds the gated mentions whose context the text gives: their own, or any sign that it is about crypto. */
export function settleGated({ mentions, gated, context, excluded, isCrypto }: Reading): void {
  const isAbout = isCrypto || mentions.length > 0
  for (const { mention, asset, needsOwn } of gated) {
    const isOwn = context.has(asset) || mentions.some(({ asset_id }) => asset_id === mention.asset_id)
    if (!excluded.has(asset) && (isOwn || (isAbout && !needsOwn))) mentions.push(mention)
  }
}
