import fc from 'fast-check'
import { expect, test } from 'vitest'

import { bytes, hash, quantity, safeQuantity } from '#activities/chains/evm/rpc/shapes.ts'

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
