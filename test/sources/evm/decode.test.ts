import fc from 'fast-check'
import { toEventSelector } from 'viem'
import { describe, expect, test } from 'vitest'

import { decodeLog, decoders } from '#sources/evm/decode/index.ts'

import { abiOf, someLog } from './abi.ts'

const named = decoders.map(
  (decoder) => [`${abiOf(decoder.event).name} ${decoder.topic0.slice(0, 10)}`, decoder] as const,
)
/** Coins have positions of a byte, though their words are wider. */
const few = Object.fromEntries(
  ['sold_id', 'bought_id', 'soldId', 'boughtId'].map((name) => [name, fc.bigInt(0n, 255n)]),
)

describe('every decoder', () => {
  test.each(named)(
    '%s has the hash, the topics and the words of its event',
    (_, { event, topic0, n_topics, n_words }) => {
      const abi = abiOf(event)
      expect(topic0).toBe(toEventSelector(abi))
      expect(n_topics).toBe(1 + abi.inputs.filter(({ indexed }) => indexed).length)
      const words = abi.inputs
        .filter(({ indexed }) => indexed !== true)
        .reduce(
          (sum, input) => sum + (input.type === 'tuple' && 'components' in input ? input.components.length : 1),
          0,
        )
      // The data of a text or a list is longer than its first word.
      expect(n_words).toBeLessThanOrEqual(words)
      expect(n_words).toBeGreaterThanOrEqual(words - 2)
    },
  )

  test('has a hash of its own', () => {
    expect(new Set(decoders.map(({ topic0 }) => topic0)).size).toBe(decoders.length)
  })

  test.each(named)('%s reads any valid log', (_, { event, dataset }) => {
    fc.assert(
      fc.property(someLog(event, few), ({ log }) => {
        const decoded = decodeLog(log)
        // Undefined is a join of a pool, or a coin of another chain.
        if (decoded !== undefined) expect(decoded.dataset).toBe(dataset)
      }),
      { numRuns: 50 },
    )
  })

  test.each(named)('%s rejects a cut or a superfluous topic and short data, with the reason', (_, decoder) => {
    fc.assert(
      fc.property(someLog(decoder.event, few), fc.nat(), ({ log }, cut) => {
        const { unrelated = [], n_topics, n_words } = decoder
        for (const topics of [log.topics.slice(0, -1), [...log.topics, `0x${'0'.repeat(64)}`]]) {
          if (topics.length === 0 || unrelated.includes(topics.length)) continue
          const reason = `${topics.length} topics; expected ${n_topics}`
          expect(decodeLog({ ...log, topics })).toEqual({ dataset: 'rejected', of: decoder.dataset, reason })
        }
        if (n_words > 0) {
          const data = log.data.slice(0, 2 + 2 * (cut % (32 * n_words)))
          expect(decodeLog({ ...log, data })).toMatchObject({ dataset: 'rejected', of: decoder.dataset })
        }
      }),
      { numRuns: 20 },
    )
  })
})

test('a fill of 1inch names its maker in a topic', () => {
  const maker = `0x${'ab'.repeat(20)}`
  const word = (hex: string): string => hex.padStart(64, '0')
  const topics = ['0xb9ed0243fdf00f0545c63a0af8850c090d86bb46682baec4bf3c496814fe4f02', `0x${word(maker.slice(2))}`]
  const log = { address: `0x${'11'.repeat(20)}`, topics, data: `0x${'cd'.repeat(32)}${word('5')}` }
  expect(decodeLog(log)).toMatchObject({ dataset: 'swaps', row: { family: 'oneinch_limit_v5', trader: maker } })
})

test('any hex is decoded, rejected or nothing, and never an error', () => {
  const hex = (max: number) => fc.string({ unit: fc.constantFrom(...'0123456789abcdefxg'), maxLength: max })
  const topic0 = fc.constantFrom(...decoders.map((decoder) => decoder.topic0))
  const topics = fc.array(
    hex(64).map((text) => `0x${text.padStart(64, '0')}`),
    { maxLength: 3 },
  )
  fc.assert(
    fc.property(topic0, topics, hex(64 * 9), fc.boolean(), (first, others, text, isLong) => {
      const data = `0x${isLong ? text.padEnd(64 * 11, '0') : text}`
      expect(() => decodeLog({ address: `0x${'1'.repeat(40)}`, topics: [first, ...others], data })).not.toThrow()
    }),
    { numRuns: 2_000 },
  )
})

test('dirty bits before an address, a flag of 2 and an amount over its type are rejected', () => {
  const word = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, '0')
  const log = (topic0: string, topics: string[], words: bigint[]) => ({
    address: `0x${'1'.repeat(40)}`,
    topics: [topic0, ...topics.map((topic) => `0x${topic}`)],
    data: `0x${words.map(word).join('')}`,
  })
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  const operation = '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f'
  const v4 = '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f'
  const reasonOf = (of: ReturnType<typeof log>) => {
    const decoded = decodeLog(of)
    return decoded?.dataset === 'rejected' ? decoded.reason : decoded
  }
  expect(reasonOf(log(transfer, [word(2n ** 160n), word(1n)], [1n]))).toBe('topic 1: no address')
  expect(reasonOf(log(operation, [word(1n), word(1n), word(1n)], [0n, 2n, 1n, 1n]))).toBe('word 1: 2; expected 0 or 1')
  expect(reasonOf(log(v4, [word(7n), word(1n)], [2n ** 127n, 0n, 1n, 1n, 1n, 1n]))).toBe('word 0: over 128 bits')
})
