import fc from 'fast-check'
import { expect, test } from 'vitest'

import { bytes, hash, quantity, receiptShape, safeQuantity, transactionShape } from '#sources/evm/rpc/shapes.ts'

const upper = (text: string): string => `0x${text.slice(2).toUpperCase()}`
const hexOf = (n_bytes: number) =>
  fc.uint8Array({ minLength: n_bytes, maxLength: n_bytes }).map((of) => `0x${Buffer.from(of).toString('hex')}`)

test('quantities are read exactly up to 256 bits, and as numbers below 2^53 alone', () => {
  const near = fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n })
  const value = fc.oneof(near, fc.bigInt({ min: 0n, max: 2n ** 53n }), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }))
  fc.assert(
    fc.property(value, fc.boolean(), (number, isUpper) => {
      const text = isUpper ? upper(`0x${number.toString(16)}`) : `0x${number.toString(16)}`
      expect(quantity.parse(text)).toBe(number)
      const { data } = safeQuantity.safeParse(text)
      expect(data).toBe(number < 2n ** 53n ? Number(number) : undefined)
    }),
  )
})

test('hashes and bytes are read in lower case', () => {
  fc.assert(
    fc.property(hexOf(32), fc.nat(100).chain(hexOf), (one, many) => {
      expect([hash.parse(upper(one)), bytes.parse(upper(many))]).toEqual([one, many])
    }),
  )
})

test.each([undefined, null, 7, '', '0x', '0xg', '1f', ' 0x1f', '-0x1f'])('%s is no quantity', (text) => {
  expect([quantity.safeParse(text).success, safeQuantity.safeParse(text).success]).toEqual([false, false])
  expect(hash.safeParse(text).success).toBe(false)
})

const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((value) => `0x${value.toString(16)}`)
const place = fc.nat(1_000_000).map((value) => `0x${value.toString(16)}`)
const receipt = fc.record({
  blockHash: hexOf(32),
  blockNumber: place,
  transactionHash: hexOf(32),
  transactionIndex: place,
  status: place,
  gasUsed: amount,
  effectiveGasPrice: amount,
  l1Fee: amount,
  logs: fc.constant([]),
  type: place,
  root: hexOf(32),
  cumulativeGasUsed: amount,
  depositNonce: amount,
  depositReceiptVersion: amount,
})
const transaction = fc.record({
  hash: hexOf(32),
  blockHash: hexOf(32),
  blockNumber: place,
  from: hexOf(20),
  to: hexOf(20),
  value: amount,
  nonce: place,
  gasPrice: amount,
})
type Fields = Record<string, unknown>
const ofRoot = ['type', 'root', 'cumulativeGasUsed', 'depositNonce', 'depositReceiptVersion']
const receiptOptional = ['status', 'effectiveGasPrice', 'l1Fee', ...ofRoot]
const shapes = [
  { name: 'receipt', of: receiptShape, body: receipt, optional: receiptOptional },
  { name: 'transaction', of: transactionShape, body: transaction, optional: ['to', 'nonce', 'gasPrice'] },
]

test.each(shapes)('a $name has its place as numbers, and quantities of any size in lower case', ({ of, body }) => {
  fc.assert(
    fc.property(body as fc.Arbitrary<Fields>, (fields) => {
      const written = Object.entries(fields).map(([key, text]) => [key, typeof text === 'string' ? upper(text) : text])
      const numbers = ['blockNumber', 'transactionIndex', 'type'].filter((key) => key in fields)
      const expected = { ...fields, ...Object.fromEntries(numbers.map((key) => [key, Number(fields[key])])) }
      expect(of.parse({ ...Object.fromEntries(written), other: 7 })).toEqual(expected)
    }),
  )
})

test.each(shapes)('a $name without a field, or with another value there, is refused', ({ of, body, optional }) => {
  const wrong = fc.constantFrom(undefined, null, 7, '', '0x', '0x1g', ' 0x1', `0x${'1'.repeat(63)}g`, [7], {})
  fc.assert(
    fc.property(body as fc.Arbitrary<Fields>, fc.nat(), wrong, (fields, n, value) => {
      const keys = Object.keys(fields)
      const key = keys[n % keys.length] ?? ''
      const isMissing = value === undefined || value === null
      const { success, data, error } = of.safeParse({ ...fields, [key]: value })
      expect(success).toBe(isMissing && optional.includes(key))
      if (success) expect((data as Fields)[key]).toBeNull()
      else expect(error?.message).toContain(`${key}: expected`)
    }),
  )
  for (const other of [null, undefined, 7, 'text', []]) expect(of.safeParse(other).success).toBe(false)
})
