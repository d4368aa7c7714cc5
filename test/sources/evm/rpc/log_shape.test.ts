import fc from 'fast-check'
import { expect, test } from 'vitest'

import { logsShape, logsShapeOf } from '#sources/evm/rpc/log_shape.ts'

const hexOf = (n_bytes: number) =>
  fc.uint8Array({ minLength: n_bytes, maxLength: n_bytes }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const index = fc.nat(1_000_000).map((value) => `0x${value.toString(16)}`)
const log = fc.record({
  address: hexOf(20),
  topics: fc.array(hexOf(32), { maxLength: 4 }),
  data: fc.nat(200).chain((n_bytes) => hexOf(n_bytes)),
  blockNumber: index,
  blockHash: hexOf(32),
  transactionHash: hexOf(32),
  transactionIndex: index,
  logIndex: index,
  removed: fc.boolean(),
})

/** Logs of which some have the block, transaction, contract and event of the one before. */
const logs = fc.array(fc.tuple(log, fc.boolean()), { minLength: 1, maxLength: 4 }).map((all) =>
  all.map(([body, isNeighbour], n) => {
    const before = all[n - 1]?.[0]
    if (before === undefined || !isNeighbour) return body
    const { address, topics, blockHash, transactionHash } = before
    return { ...body, address, topics: [...topics], blockHash, transactionHash }
  }),
)

test('logs are read in lower case, whatever case their node writes', () => {
  fc.assert(
    fc.property(logs, fc.boolean(), (bodies, isUpper) => {
      const upper = (text: string): string => (isUpper ? `0x${text.slice(2).toUpperCase()}` : text)
      const written = bodies.map((body) => ({
        ...body,
        address: upper(body.address),
        topics: body.topics.map(upper),
        data: upper(body.data),
        blockHash: upper(body.blockHash),
      }))
      expect(logsShape.parse(written)).toEqual(
        bodies.map((body) => ({
          address: body.address,
          topics: body.topics,
          data: body.data,
          block: Number(body.blockNumber),
          block_hash: body.blockHash,
          tx: body.transactionHash,
          tx_index: Number(body.transactionIndex),
          log_index: Number(body.logIndex),
          is_removed: body.removed,
        })),
      )
    }),
  )
})

test('logs of which only the place is wanted come without their data', () => {
  fc.assert(
    fc.property(logs, fc.nat(3), (bodies, n) => {
      const topic = bodies[n % bodies.length]?.topics[0] ?? ''
      const isPlace = ({ topics: [first = ''] }: { topics: readonly string[] }): boolean => first === topic
      const expected = logsShape.parse(bodies).map((one) => (isPlace(one) ? { ...one, data: '0x' } : one))
      expect(logsShapeOf(new Set([topic])).parse(bodies)).toEqual(expected)
    }),
  )
})

test('a log without one of its fields, or with another value there, is refused', () => {
  const fields = [
    'address',
    'topics',
    'data',
    'blockNumber',
    'blockHash',
    'transactionHash',
    'transactionIndex',
    'logIndex',
  ]
  const wrong = fc.constantFrom(undefined, null, 7, 'text', '0x', '0x1g', `0x${'1'.repeat(63)}`, ['0x1'], {})
  fc.assert(
    fc.property(log, fc.constantFrom(...fields), wrong, fc.boolean(), (body, field, value, isSecond) => {
      // No data is an empty text, and an index may have any number of digits.
      fc.pre(!(field === 'data' && value === '0x'))
      const logsBefore = isSecond ? [body] : []
      expect(logsShape.safeParse([...logsBefore, { ...body, [field]: value }]).success).toBe(false)
    }),
  )
  for (const body of [null, 7, 'log', []]) expect(logsShape.safeParse([body]).success).toBe(false)
  for (const body of [null, 7, 'logs', undefined]) expect(logsShape.safeParse(body).success).toBe(false)
})
