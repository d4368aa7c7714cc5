import { wordsOf } from '#text/matcher/tokens.ts'

/** Posts whose hashes differ in more bits are no near-duplicates. */
export const NEAR_BITS = 3

/** The hash of a text without words: of links, numbers and emoji alone. Such texts are near-duplicates of none. */
export const NO_WORDS = 0n

/**
 * The 64-bit SimHash of a text: near-duplicates differ in at most {@link NEAR_BITS} bits. Addresses, handles, cashtags,
 * words with digits, emoji and the case of letters do not count; nor does the last word of a long text, which templates
 * vary. The features are words and pairs of words. Each letter of a script without spaces is a word.
 */
export function simhash(text: string): bigint {
  const hashes = normalWords(text)
  if (hashes.length === 0) return NO_WORDS
  const n = hashes.length < LONG ? hashes.length : hashes.length - 1
  const votes = new Int32Array(64)
  for (let at = 0; at < n; at++) {
    const hash = hashes[at] ?? 0
    vote(votes, hash)
    if (at > 0) vote(votes, Math.imul(hashes[at - 1] ?? 0, 0x9e3779b1) ^ hash)
  }
  let [low, high] = [0, 0]
  for (let bit = 0; bit < 32; bit++) {
    if ((votes[bit] ?? 0) > 0) low |= 1 << bit
    if ((votes[bit + 32] ?? 0) > 0) high |= 1 << bit
  }
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)
}

/** The number of words from which on a text is long. */
const LONG = 8

/** The hashes of the words that count. */
function normalWords(text: string): number[] {
  const { lower, starts, ends } = wordsOf(text)
  const hashes: number[] = []
  let read = 0
  for (let n = 0; n < starts.length; n++) {
    const [start, end] = [starts[n] ?? 0, ends[n] ?? 0]
    addLetters(hashes, lower.slice(read, start))
    read = end
    const before = lower.charCodeAt(start - 1)
    const isPlace = before === 64 || before === 36 || lower.startsWith('http', start) || lower.startsWith('www.', start)
    if (!isPlace && isWord(lower, start, end)) hashes.push(hash32(lower, start, end))
  }
  addLetters(hashes, lower.slice(read))
  return hashes
}

/** Adds the letters between two words: those of scripts without spaces, such as Chinese and Japanese. */
function addLetters(hashes: number[], between: string): void {
  if (between.length < 2 && between < '\u1100') return
  for (const [letter] of between.matchAll(/\p{L}/gu)) hashes.push(hash32(letter, 0, letter.length))
}

/** Whether a word has no digit. */
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
function vote(votes: Int32Array, feature: number): void {
  let [low, high] = [mixed(feature), mixed(feature ^ 0x5bd1e995)]
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
