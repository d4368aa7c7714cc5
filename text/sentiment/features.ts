import { featureOf, FNV_PRIME, hashPair } from './hash.ts'
import { createTokenizer, MAX_LETTERS, MAX_TOKENS, type Tokens } from './tokens.ts'
import { fallingWords, negations, risingWords } from './tone_words.ts'

/** The tone of words and pairs of words by their hash, from -1 to 1. */
export type Lexicon = ReadonlyMap<number, number>

/**
 * The input of the model for one text. `indices` has the numbers of its n-grams, with repetitions: `n_words` of words,
 * the others of letters. `dense` has figures of the whole text.
 */
export type Features = { n: number; n_words: number; indices: Int32Array; dense: Float64Array }

/** The figures of the whole text: 1, six of the lexicon, four of our word lists, thirteen of signs and length. */
export const N_DENSE = 24

const LETTERS = [3, 4, 5] as const
/** Different kinds of n-grams of one hash get different numbers. */
const salt = { pair: 1, triple: 2, negated: 77_777, letters: 0x51ed27 }
/** The words after a negation that it turns around. */
const SCOPE = 4

/** Makes the function from texts to features, which returns the same buffers each time. */
export function createFeaturizer(lexicon: Lexicon): (text: string) => Features {
  const tokenize = createTokenizer()
  const features: Features = {
    n: 0,
    n_words: 0,
    indices: new Int32Array(MAX_TOKENS * 4 + (MAX_LETTERS + 2 * MAX_TOKENS) * LETTERS.length),
    dense: new Float64Array(N_DENSE),
  }
  return (text) => {
    const tokens = tokenize(text)
    features.n = 0
    const tone = readWords(tokens, features, lexicon)
    features.n_words = features.n
    readLetters(tokens, features)
    setDense(features.dense, tokens, tone)
    return features
  }
}

/** The sums of the lexicon and of the word lists over a text. */
type Tone = {
  sum: number
  n: number
  n_good: number
  n_bad: number
  best: number
  worst: number
  rising: number
  falling: number
}

/** Adds one, two and three words in a row, and negated words. */
function readWords({ n, hashes, starts }: Tokens, features: Features, lexicon: Lexicon): Tone {
  const tone: Tone = { sum: 0, n: 0, n_good: 0, n_bad: 0, best: -1, worst: 1, rising: 0, falling: 0 }
  const add = (hash: number): void => {
    features.indices[features.n] = featureOf(hash)
    features.n += 1
  }
  let [scope, before, twoBefore] = [0, 0, 0]
  for (let at = 0; at < n; at++) {
    const hash = hashes[at] ?? 0
    add(hash)
    if (at > 0) add(hashPair(before, hash) + salt.pair)
    if (at > 1) add(hashPair(hashPair(twoBefore, before), hash) + salt.triple)
    const isNegation = negations.has(hash)
    if (isNegation) scope = SCOPE
    else if (scope > 0 && (starts[at + 1] ?? 0) > (starts[at] ?? 0)) {
      scope -= 1
      add(hash + salt.negated)
    }
    const isTurned = scope > 0 && !isNegation
    if (risingWords.has(hash)) tone[isTurned ? 'falling' : 'rising'] += 1
    if (fallingWords.has(hash)) tone[isTurned ? 'rising' : 'falling'] += 1
    addTone(tone, lexicon.get(hash), true)
    if (at > 0) addTone(tone, lexicon.get(hashPair(before, hash)), false)
    twoBefore = before
    before = hash
  }
  return tone
}

function addTone(tone: Tone, value: number | undefined, isWord: boolean): void {
  if (value === undefined) return
  tone.sum += value
  tone.n += 1
  if (isWord && value > 0.5) tone.n_good += 1
  if (isWord && value < 0) tone.n_bad += 1
  tone.best = Math.max(tone.best, value)
  tone.worst = Math.min(tone.worst, value)
}

/** Adds three to five letters in a row of each word, with a space at its start and its end. */
function readLetters({ n, starts, codes }: Tokens, features: Features): void {
  const { indices } = features
  for (let word = 0; word < n; word++) {
    const [start, end] = [starts[word] ?? 0, starts[word + 1] ?? 0]
    if (end - start < 2) continue
    for (let first = start - 1; first < end - 1; first++) {
      let hash = 0x1234567
      for (let length = 1; length <= 5 && first + length <= end + 1; length++) {
        const at = first + length - 1
        hash = Math.imul(hash ^ (at < start || at === end ? 32 : (codes[at] ?? 0)), FNV_PRIME)
        if (length < 3) continue
        indices[features.n] = featureOf(hash + length * salt.letters)
        features.n += 1
      }
    }
  }
}

/** The lexicon is centred, since it was made from posts that are bullish more often than not. */
function setDense(dense: Float64Array, { n, signs }: Tokens, tone: Tone): void {
  const has = tone.n > 0
  dense.set([
    1,
    has ? 2 * (tone.sum / tone.n - 0.4) : 0,
    Math.tanh(tone.sum / 4 - 0.1 * tone.n),
    has ? tone.n_good / tone.n - 0.5 : 0,
    has ? tone.n_bad / tone.n : 0,
    has ? tone.best - 0.7 : 0,
    has ? tone.worst + 0.2 : 0,
    Math.min(tone.rising, 3) / 2,
    Math.min(tone.falling, 3) / 2,
    Number(tone.rising > tone.falling),
    Number(tone.falling > tone.rising),
    Math.min(signs.cashtags, 4) / 4,
    Number(signs.cashtags === 1),
    Math.min(signs.links, 1),
    Math.min(signs.users, 2) / 2,
    Math.min(signs.numbers, 5) / 5,
    Math.min(signs.shouted, 5) / 5,
    Math.min(signs.hashtags, 5) / 5,
    Math.min(signs.questions, 1),
    Math.min(signs.exclamations, 1),
    Math.min(n, 50) / 50,
    Number(n < 6),
    Number(n > 25),
    Number(signs.cashtags > 3),
  ])
}
