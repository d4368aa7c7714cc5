/**
 * A stream of pseudo-random numbers. It uses only arithmetic, `log` and `sqrt`, so that it is the same on every
 * machine.
 */
export type Random = {
  /** Uniform in [0, 1). */
  next: () => number
  /** A whole number in [0, n). */
  below: (n: number) => number
  /** Uniform in [from, to). */
  between: (from: number, to: number) => number
  /** True with probability p. */
  chance: (p: number) => boolean
  /** Standard normal. */
  normal: () => number
  pick: <T>(list: readonly T[]) => T
}

/** The stream of a seed and a path of whole numbers: distinct paths give independent streams (sfc32). */
export function createRandom(seed: number, ...path: number[]): Random {
  const key = path.reduce(mix, mix(seed, seed / 0x1_0000_0000))
  let a = mix(key, 1)
  let b = mix(key, 2)
  let c = mix(key, 3)
  let counter = 1
  let spare: number | undefined

  const next = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 0x1_0000_0000
  }
  const below = (n: number) => Math.floor(next() * n)
  const normal = () => {
    if (spare !== undefined) {
      const kept = spare
      spare = undefined
      return kept
    }
    for (;;) {
      const x = 2 * next() - 1
      const y = 2 * next() - 1
      const r = x * x + y * y
      if (r >= 1 || r === 0) continue
      const scale = Math.sqrt((-2 * Math.log(r)) / r)
      spare = y * scale
      return x * scale
    }
  }
  const pick = <T>(list: readonly T[]): T => {
    const item = list[below(list.length)]
    if (item === undefined) throw new Error('pick: the list is empty; expected at least one item')
    return item
  }
  for (let warmup = 0; warmup < 12; warmup++) next()
  return {
    next,
    below,
    between: (from, to) => from + (to - from) * next(),
    chance: (p) => next() < p,
    normal,
    pick,
  }
}

/** A 32-bit hash of two numbers. */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul((b + 0x7f4a7c15) | 0, 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}

/** The namespaces of hex texts, so that no two kinds of identifier share a value. */
export const hexSpace = { wallet: 1, condition: 2, question: 3, negRisk: 4, token: 5, tx: 6, combo: 7 } as const

/** Lower-case hex digits that depend on the arguments only. */
export function hexText(seed: number, space: number, index: number, digits: number): string {
  const key = mix(mix(seed, space), index)
  const other = mix(mix(index, seed), space + 77)
  let text = ''
  for (let word = 0; text.length < digits; word++) {
    text += (mix(key + word, other ^ Math.imul(word + 1, 0x9e3779b1)) >>> 0).toString(16).padStart(8, '0')
  }
  return text.slice(0, digits)
}
