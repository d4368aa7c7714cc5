import { lowerWords } from './crypto_terms.ts'
import type { Meaning } from './index_assets.ts'
import { isJoin } from './phrases.ts'
import { gate, mentionOf, type Reading } from './reading.ts'

/** Reads the name or symbol that begins at a word, if one does. Returns the number of words that it takes. */
export function readName(reading: Reading, word: number): number {
  const { lower, starts, ends, index } = reading
  const { length, meanings } = longestName(reading, word)
  const [start, end] = [starts[word] ?? 0, ends[word + Math.max(1, length) - 1] ?? 0]
  if (isAddress(lower, start, end)) return Math.max(1, length)
  const alias = meanings.find(({ kind }) => kind === 'alias')
  if (alias !== undefined) reading.mentions.push(mentionOf(index, alias.asset, 3, start, end))
  else for (const { kind, asset } of meanings) if (kind === 'name') gate(reading, asset, start, end, true)
  if (alias === undefined && length <= 1) readSymbol(reading, start, end)
  return Math.max(1, length)
}

/**
 * Follows the phrases from a word on and notes contexts. Returns the meanings of the longest phrase that names an asset
 * or anything else, and its number of words, 0 for none.
 */
function longestName(reading: Reading, word: number): { length: number; meanings: readonly Meaning[] } {
  const { lower, starts, ends } = reading
  let node = reading.index.phrases
  let longest: { length: number; meanings: readonly Meaning[] } = { length: 0, meanings: [] }
  for (let n = word; n < starts.length; n++) {
    if (n > word && !isJoin(lower, ends[n - 1] ?? 0, starts[n] ?? 0)) break
    const next = node.next.get(lower.slice(starts[n], ends[n]))
    if (next === undefined) break
    node = next
    let isName = false
    for (const { kind, asset } of node.meanings) {
      if (kind === 'context') reading.context.add(asset)
      else if (kind === 'crypto') reading.isCrypto = true
      else isName = true
      if (kind === 'exclude') reading.excluded.add(asset)
    }
    if (isName) longest = { length: n - word + 1, meanings: node.meanings }
  }
  return longest
}

/** A symbol without a dollar sign; in lower case if it has three letters or more and is no word. */
function readSymbol(reading: Reading, start: number, end: number): void {
  const symbol = reading.lower.slice(start, end)
  const asset = reading.index.bySymbol.get(symbol)
  const row = asset === undefined ? undefined : reading.index.assets[asset]
  if (asset === undefined || row === undefined || row.is_never_bare || !row.is_tracked) return
  const isUpper = reading.text.slice(start, end) === row.symbol.toUpperCase()
  if (isUpper || (end - start >= 3 && !lowerWords.has(symbol))) gate(reading, asset, start, end, false)
}

/** Whether a name is a part of an address: a handle, a forum (`r/bitcoin`), a path or a domain (`bitcoin.org`). */
function isAddress(lower: string, start: number, end: number): boolean {
  const before = lower.charCodeAt(start - 1)
  if (before === 64) return true
  if (before === 47 && /(^|[^a-z])([ru]|mnt|home)\/$/.test(lower.slice(Math.max(0, start - 6), start))) return true
  return (
    lower.charCodeAt(end) === 46 && /^\.(com|org|io|net|co|info|xyz|finance|app|news)\b/.test(lower.slice(end, end + 9))
  )
}
