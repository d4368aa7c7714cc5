import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { decodeLog, decoders } from '#sources/evm/decode/decode_log.ts'
import { compile, loadDecoder } from '#sources/evm/decode/event/compile.ts'

import { abiOf, rowOf, someLog, topicOf } from './abi.ts'

const named = decoders.map(
  (decoder) => [`${abiOf(decoder.event).name} ${topicOf(decoder.event).slice(0, 10)}`, decoder] as const,
)
/** Coins have positions of a byte, though their words are wider. */
const few = Object.fromEntries(
  ['sold_id', 'bought_id', 'soldId', 'boughtId'].map((name) => [name, fc.bigInt(0n, 255n)]),
)

describe('every decoder', () => {
  test.each(named)('%s reads any valid log', (_, { event, dataset = 'swaps' }) => {
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
    const { unrelated = [], dataset: target = 'swaps', event } = decoder
    // The data of a text or a list is longer than the words that must be there.
    const isFixed = !/string|\[\]|bytes\b/.test(event)
    fc.assert(
      fc.property(someLog(event, few), fc.nat(), ({ log }, cut) => {
        for (const topics of [log.topics.slice(0, -1), [...log.topics, `0x${'0'.repeat(64)}`]]) {
          if (topics.length === 0 || unrelated.includes(topics.length)) continue
          const reason = `${topics.length} topics; expected ${log.topics.length}`
          expect(decodeLog({ ...log, topics })).toEqual({ dataset: 'rejected', target, reason })
        }
        if (log.data.length > 2) {
          const data = log.data.slice(0, isFixed ? 2 + 2 * (cut % (log.data.length / 2 - 1)) : 2)
          expect(decodeLog({ ...log, data })).toMatchObject({ dataset: 'rejected', target })
        }
      }),
      { numRuns: 20 },
    )
  })
})

describe('a decoder that does not fit its event', () => {
  const event = 'event Swap(address indexed sender, uint256 amountIn, (uint8 kind, address to)[] outputs)'
  test.each<[string, Record<string, string>, string]>([
    ['names an unknown argument', { sender: 'from' }, 'no argument from'],
    ['reads a list as a word', { recipient: 'outputs' }, 'expected a word'],
    ['turns the sign of an address', { amount0: '-sender' }, 'no number'],
    ['names an unknown column', { amount3: 'amountIn' }, 'no column amount3'],
  ])('%s is refused as it is loaded', (_, map, problem) => {
    expect(() => loadDecoder({ event, family: 'broken', map })).toThrow(problem)
  })

  test('is no event', () => {
    expect(() => loadDecoder({ event: 'Swap(address)', family: 'broken', map: {} })).toThrow('no event')
    expect(() => loadDecoder({ event: 'event Swap(uint256[2] a)', family: 'broken', map: {} })).toThrow('parameter')
  })

  test('has the hash of another one', () => {
    const loaded = loadDecoder({ event, family: 'twin', map: {} })
    expect(() => compile([loaded, loaded])).toThrow('expected one of its own')
  })
})

test('a fill of 1inch names its maker in a topic', () => {
  const maker = `0x${'ab'.repeat(20)}`
  const word = (hex: string): string => hex.padStart(64, '0')
  const topics = ['0xb9ed0243fdf00f0545c63a0af8850c090d86bb46682baec4bf3c496814fe4f02', `0x${word(maker.slice(2))}`]
  const log = { address: `0x${'11'.repeat(20)}`, topics, data: `0x${'cd'.repeat(32)}${word('5')}` }
  expect(rowOf(log)).toMatchObject({ dataset: 'swaps', row: { family: 'oneinch_limit_v5', trader: maker } })
})

test('any hex is decoded, rejected or nothing, and never an error', () => {
  const hex = (max: number) => fc.string({ unit: fc.constantFrom(...'0123456789abcdefxg'), maxLength: max })
  const topic0 = fc.constantFrom(...decoders.map(({ event }) => topicOf(event)))
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
