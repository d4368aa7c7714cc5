import { createHash } from 'node:crypto'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

import { N_DENSE, type Lexicon } from './features.ts'
import { FEATURE_BITS } from './hash.ts'

/** A linear decision: `scale` times the whole weights of n-grams, and the weights of the figures of the whole text. */
export type Head = {
  scale: number
  dense: readonly number[]
  /** Calibrated log odds = slope x score + offset. */
  slope: number
  offset: number
}

/**
 * The model: `has_tone` separates bullish and bearish from neutral, `is_bull` bullish from bearish. `grams` has the
 * weight of feature n for `has_tone` at 2n and for `is_bull` at 2n + 1.
 */
export type Weights = {
  has_tone: Head
  is_bull: Head
  /** Added to the score of `has_tone` before the decision, not before the rates. */
  lean: number
  grams: Int8Array
  lexicon: Lexicon
  /** 12 digits of the SHA-256 of the file. */
  version: string
}

const N_GRAMS = 2 << FEATURE_BITS

/** The file of a model: Brotli over a line of JSON, the weights of n-grams, and the lexicon as 5 bytes an entry. */
export function encodeWeights({ has_tone, is_bull, lean, grams, lexicon }: Omit<Weights, 'version'>): Buffer {
  const header = Buffer.from(`${JSON.stringify({ has_tone, is_bull, lean, n_lexicon: lexicon.size })}\n`)
  const entries = Buffer.alloc(lexicon.size * 5)
  for (const [n, [hash, tone]] of [...lexicon].entries()) {
    entries.writeInt32LE(hash, n * 5)
    entries.writeInt8(Math.round(tone * 127), n * 5 + 4)
  }
  const body = Buffer.concat([header, Buffer.from(grams.buffer, grams.byteOffset, grams.byteLength), entries])
  return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } })
}

/** Throws an error if the file is no model of this version of the features. */
export function decodeWeights(file: Uint8Array): Weights {
  const body = brotliDecompressSync(file)
  const end = body.indexOf(10)
  const header = JSON.parse(body.subarray(0, end).toString()) as Pick<Weights, 'has_tone' | 'is_bull' | 'lean'> & {
    n_lexicon: number
  }
  const { n_lexicon, ...decision } = header
  const entries = body.subarray(end + 1 + N_GRAMS)
  if (entries.length !== n_lexicon * 5 || decision.has_tone.dense.length !== N_DENSE) {
    throw new Error(`weights: ${body.length} bytes for other features; expected ${N_GRAMS} weights of n-grams`)
  }
  const lexicon = new Map<number, number>()
  for (let at = 0; at < entries.length; at += 5) lexicon.set(entries.readInt32LE(at), entries.readInt8(at + 4) / 127)
  const grams = new Int8Array(body.subarray(end + 1, end + 1 + N_GRAMS))
  return { ...decision, grams, lexicon, version: createHash('sha256').update(file).digest('hex').slice(0, 12) }
}
