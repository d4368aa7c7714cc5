import { wordsOf } from '#text/matcher/tokens.ts'

/** Posts whose hashes differ in more bits are no near-duplicates. */
export const NEAR_BITS = 3

/** The hash of a text without words: of links, numbers and emoji alone. Such texts are near-duplicates of none. */
export const NO_WORDS = 0n

/**
 * The 64-bit SimHash of a text: near-duplicates differ in at most {@link NEAR_BITS} bits. Addresses, handles, cashtags,
 * numbers, emoji and the case of letters do not count; the features are three words in a row, and short texts have
 * single words too.
 */
export function simhash(text: string): bigint {
  const hashes = normalWords(text)
  if (hashes.length === 0) return NO_WORDS
  const votes = new Int32Array(64)
  for (let at = 0; at + 2 < hashes.length; at++) vote(votes, hashes[at] ?? 0, hashes[at + 1] ?? 0, hashes[at + 2] ?? 0)
  if (hashes.length < SHORT) for (const hash of hashes) vote(votes, hash, 0, 0)
  let [low, high] = [0, 0]
  for (let bit = 0; bit < 32; bit++) {
    if ((votes[bit] ?? 0) > 0) low |= 1 << bit
    if ((votes[bit + 32] ?? 0) > 0) high |= 1 << bit
  }
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)
}

/** Texts of fewer words have too few triples for a stable hash. */
const SHORT = 8

/** The hashes of the words that count. */
function normalWords(text: string): number[] {
  const { lower, starts, ends } = wordsOf(text)
  const hashes: number[] = []
  for (let n = 0; n < starts.length; n++) {
    const [start, end] = [starts[n] ?? 0, ends[n] ?? 0]
    const before = lower.charCodeAt(start - 1)
    const isPlace = before === 64 || before === 36 || lower.startsWith('http', start) || lower.startsWith('www.', start)
    if (!isPlace && isWord(lower, start, end)) hashes.push(hash32(lower, start, end))
  }
  return hashes
}

/** Whether a word has letters alone: numbers, prices and the random ends of templates do not count. */
function isWord(lower: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = lower.charCodeAt(at)
    if (code >= 48 && code <= 57) return false
  }
  return true
}

function hash32(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return mixed(hash)
}

/** Each bit of the 64-bit hash of a feature votes for or against that bit. */
function vote(votes: Int32Array, first: number, second: number, third: number): void {
  const seed = Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca77) ^ third
  let [low, high] = [mixed(seed), mixed(seed ^ 0x5bd1e995)]
  for (let bit = 0; bit < 32; bit++) {
    votes[bit] = (votes[bit] ?? 0) + ((low & 1) << 1) - 1
    votes[bit + 32] = (votes[bit + 32] ?? 0) + ((high & 1) << 1) - 1
    low >>>= 1
    high >>>= 1
  }
}

function mixed(hash: number): number {
  let out = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  out = Math.imul(out ^ (out >>> 13), 0xc2b2ae35)
  return out ^ (out >>> 16)
}
