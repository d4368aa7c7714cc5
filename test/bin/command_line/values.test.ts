import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { instantOf, numberOf, UsageError } from '#bin/command_line/values.ts'

describe('an instant', () => {
  test.each([
    ['2026-01-31', Date.UTC(2026, 0, 31) * 1000],
    ['2026-01-31T12:30Z', Date.UTC(2026, 0, 31, 12, 30) * 1000],
    ['2026-01-31T12:30:15Z', Date.UTC(2026, 0, 31, 12, 30, 15) * 1000],
    ['2026-01-31T12:30:15.5+02:00', Date.UTC(2026, 0, 31, 10, 30, 15, 500) * 1000],
    ['2026-01-31T23:30:15.123456-01:30', Date.UTC(2026, 1, 1, 1, 0, 15, 123) * 1000 + 456],
    ['2026-01-31T12:30:15.12345Z', Date.UTC(2026, 0, 31, 12, 30, 15, 123) * 1000 + 450],
    ['2024-02-29', Date.UTC(2024, 1, 29) * 1000],
  ])('%s is read', (text, at) => {
    expect(instantOf('--from')(text)).toBe(at)
  })

  test('is read back to the microsecond', () => {
    const whole = fc.integer({ min: 0, max: Date.UTC(2200, 0) * 1000 })
    fc.assert(
      fc.property(whole, (at) => {
        const second = new Date(Math.floor(at / 1_000_000) * 1000).toISOString().slice(0, 19)
        expect(instantOf('--to')(`${second}.${String(at % 1_000_000).padStart(6, '0')}Z`)).toBe(at)
      }),
    )
  })

  test.each([
    'yesterday',
    '',
    '2026-1-31',
    '2026-13-01',
    '2026-02-30',
    '2025-02-29',
    '2026-04-31T12:00:00Z',
    '2026-00-10',
    '2026-01-31T12:00:00',
    '2026-01-31 12:00:00Z',
    '2026-01-31T25:00:00Z',
    '2026-01-31T12:60:00Z',
    '2026-01-31T12:00:00.1234567Z',
    '1767225600',
    '2026-01-31T12:00:00+99:00',
  ])('%j is refused in a sentence', (text) => {
    expect(() => instantOf('--from')(text)).toThrow(
      new UsageError(`--from ${text}: not an instant; expected UTC such as 2026-01-31 or 2026-01-31T12:00:00Z`),
    )
  })
})

describe('a number', () => {
  const bounds = { least: 1, most: 10 }

  test('is whole and within its bounds, which are in', () => {
    expect(['1', '10', '007'].map(numberOf('--n', bounds))).toEqual([1, 10, 7])
  })

  test.each(['0', '11', '', ' 5', '5.0', '1e0', '0x5', '-5', 'five', '99999999999999999999'])(
    '%j is refused in a sentence',
    (text) => {
      expect(() => numberOf('--seed', bounds)(text)).toThrow(
        new UsageError(`--seed ${text}: not in range; expected a whole number from 1 to 10`),
      )
    },
  )
})
