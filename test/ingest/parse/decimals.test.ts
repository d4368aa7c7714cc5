import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { millionths, parseDecimal, quantity, times, unitPrice, type Decimal } from '#ingest/parse/decimals.ts'

const read = (value: number | string): bigint => {
  const parsed = parseDecimal(value)
  if (parsed === null) throw new Error(`${value} does not parse`)
  return millionths(parsed)
}

describe('millionths', () => {
  test.each<[number | string, bigint]>([
    [0, 0n],
    [-0, 0n],
    [1, 1_000_000n],
    [22.84, 22_840_000n],
    ['0.525', 525_000n],
    ['.5', 500_000n],
    ['5.', 5_000_000n],
    // Half away from zero at the seventh decimal, on both sides.
    ['0.0000005', 1n],
    ['0.00000049999', 0n],
    ['-0.0000005', -1n],
    ['-0.00000049999', 0n],
    // Doubles as they come: the shortest form is what was meant.
    [11.988287999999999, 11_988_288n],
    [0.8299999966799987, 830_000n],
    [1e-7, 0n],
    [5e-7, 1n],
    [1.5e21, 1_500_000_000_000_000_000_000_000_000n],
    ['1e3', 1_000_000_000n],
    ['12345678901234567890.1234567', 12_345_678_901_234_567_890_123_457n],
  ])('%s', (value, expected) => expect(read(value)).toBe(expected))

  test.each(['', ' 1', '1 ', '+1', '1,5', '0x10', 'NaN', 'Infinity', '-', '.', 'e5', '1e1000', '1'.repeat(101)])(
    '"%s" is no number',
    (value) => expect(parseDecimal(value)).toBeNull(),
  )

  test('numbers with up to six decimals are parsed exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (units) => {
        const digits = (units < 0n ? -units : units).toString().padStart(7, '0')
        const text = `${units < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
        expect(read(text)).toBe(units)
      }),
    )
  })

  test('a double is off by at most half a millionth', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (value) => {
        expect(Math.abs(Number(read(value)) / 1e6 - value)).toBeLessThanOrEqual(0.5000001e-6)
      }),
    )
  })

  test('rounding is symmetric around zero', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.integer({ min: 0, max: 20 }), (units, places) => {
        expect(millionths({ units: -units, places })).toBe(-millionths({ units, places }))
      }),
    )
  })
})

test('a product is rounded once', () => {
  const number = fc.record({ units: fc.bigInt({ min: 0n, max: 10n ** 12n }), places: fc.integer({ min: 0, max: 9 }) })
  const asFraction = ({ units, places }: Decimal) => ({ top: units, bottom: 10n ** BigInt(places) })
  fc.assert(
    fc.property(number, number, (a, b) => {
      const [x, y] = [asFraction(a), asFraction(b)]
      const top = x.top * y.top * 1_000_000n
      const bottom = x.bottom * y.bottom
      expect(millionths(times(a, b))).toBe((2n * top + bottom) / (2n * bottom))
    }),
  )
})

describe('bounds', () => {
  test.each([-1, '-0.1', 1e13, 'many', null, undefined, true, {}])('%s is no quantity', (value) => {
    expect(quantity.safeParse(value).success).toBe(false)
  })

  test.each(['999999999999.999999', '999999999999.9999994', 999_999_999_999, 0])('%s is a quantity', (value) => {
    expect(quantity.safeParse(value).success).toBe(true)
  })

  test.each([1e12, '1000000000000', '1e12', '999999999999.9999995', 1.5e12])(
    '%s is no quantity, since a build of scores has no place for it',
    (value) => {
      expect(quantity.safeParse(value).error?.issues[0]?.message).toMatch(
        /^expected a number from 0 to less than 10\^12/,
      )
    },
  )

  test.each([1.1, -0.01, '2'])('%s is no price', (value) => expect(unitPrice.safeParse(value).success).toBe(false))

  test('a price that a float lifted above 1 is 1', () => {
    expect(millionths(unitPrice.parse(1.0000000000000002))).toBe(1_000_000n)
  })
})
