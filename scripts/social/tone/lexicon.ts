import type { Lexicon } from '#text/sentiment/features.ts'
import { hashPair } from '#text/sentiment/hash.ts'
import { createTokenizer } from '#text/sentiment/tokens.ts'

/**
 * Parses the crypto lexicon, a CSV of `keyword,sw,positive_occurrences,negative_occurrences` with words and pairs of
 * words, and hashes the keywords as the tokenizer gives them. Throws an error that names a broken line.
 */
export function parseLexicon(csv: string): Lexicon {
  const tokenize = createTokenizer()
  const lexicon = new Map<number, number>()
  for (const [n, line] of csv.split('\n').entries()) {
    if (n === 0 || line.trim() === '') continue
    const parts = /^"?(.*?)"?,(-?[\d.e-]+),([\d.]+),([\d.]+)\s*$/.exec(line)
    if (parts === null) throw new Error(`lexicon: line ${n + 1}; expected keyword,sw,positive,negative`)
    const { n: length, hashes } = tokenize(parts[1] ?? '')
    const [first = 0, second = 0] = hashes
    if (length === 1 || length === 2) lexicon.set(length === 1 ? first : hashPair(first, second), Number(parts[2]))
  }
  return lexicon
}
