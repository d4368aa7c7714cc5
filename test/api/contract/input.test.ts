import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { ApiError } from '#api/contract/errors.ts'
import { address, chain, choice, pagingOf, parseQuery } from '#api/contract/input.ts'

const parameters = {
  sort: choice(['pnl', 'win_rate'], 'pnl', ''),
  range: choice(['30d', 'all'], '30d', ''),
  ...pagingOf(1_000),
}

const messageOf = (search: string): string | null => {
  try {
    parseQuery(parameters, search)
    return null
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_request') return error.message
    throw error
  }
}

const queryOf = (pairs: readonly (readonly [string, string])[]) =>
  new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString()

const valid = fc.record(
  {
    sort: fc.constantFrom('pnl', 'win_rate'),
    range: fc.constantFrom('30d', 'all'),
    limit: fc.integer({ min: 1, max: 1000 }).map(String),
    cursor: fc.stringMatching(/^[\w-]{1,50}$/),
  },
  { requiredKeys: [] },
)

describe('a query', () => {
  test('of valid parameters in any order is read, with the defaults for those not given', () => {
    fc.assert(
      fc.property(valid, fc.nat(), (given, turn) => {
        const pairs = Object.entries(given)
        const turned = [...pairs.slice(turn % 4), ...pairs.slice(0, turn % 4)]
        const { limit, ...words } = given
        expect(parseQuery(parameters, queryOf(turned))).toEqual({
          sort: 'pnl',
          range: '30d',
          limit: limit === undefined ? undefined : Number(limit),
          cursor: undefined,
          ...words,
        })
      }),
    )
  })

  test('with one name that is not known is refused, and the message has the name', () => {
    const names = fc.string({ minLength: 1, maxLength: 30 }).filter((name) => !Object.hasOwn(parameters, name))
    fc.assert(
      fc.property(valid, names, fc.string(), (given, name, value) => {
        const pairs = Object.entries(given)
        expect(messageOf(queryOf([...pairs, [name, value]]))).toContain(
          `${JSON.stringify(name)}: unknown parameter; expected`,
        )
      }),
    )
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(messageOf(`${name}=1`)).toContain(': unknown parameter; expected')
    }
  })

  test('with one parameter twice is refused, also with the same value', () => {
    fc.assert(
      fc.property(valid, fc.nat(), (given, pick) => {
        const pairs = Object.entries(given)
        fc.pre(pairs.length > 0)
        const [name, value] = pairs[pick % pairs.length] ?? ['', '']
        expect(messageOf(queryOf([...pairs, [name, value]]))).toBe(`${name}: given more than once; expected one value.`)
      }),
    )
  })

  test('with an invalid value is rejected, and the message names parameter, value and accepted values', () => {
    const pick = fc.constantFrom('sort', 'range', 'limit', 'cursor')
    const nothing = fc.string({ minLength: 1 }).map((text) => ` ${text}`)
    fc.assert(
      fc.property(pick, nothing, (name, value) => {
        expect(messageOf(queryOf([[name, value]]))).toMatch(
          new RegExp(`^${name}: invalid value "[^]*"; expected [^]+\\.$`),
        )
      }),
    )
  })

  test('is echoed cut short', () => {
    expect(messageOf(`sort=${'x'.repeat(10_000)}`)?.length).toBeLessThan(200)
    expect(messageOf(`${'x'.repeat(10_000)}=1`)?.length).toBeLessThan(200)
  })
})

describe('a whole number', () => {
  test('is digits only, from 1 to 1000', () => {
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 1_100 }), (n) => {
        expect(messageOf(`limit=${n}`) === null).toBe(n >= 1 && n <= 1_000)
      }),
    )
    for (const text of [
      '1e2',
      '0x10',
      '%205',
      '5%20',
      '+5',
      '5.0',
      '5.',
      '٥',
      '1_0',
      '',
      '-1',
      'NaN',
      '1001',
      '99999999999',
    ]) {
      expect(messageOf(`limit=${text}`), text).not.toBeNull()
    }
    expect(parseQuery(parameters, 'limit=0017').limit).toBe(17)
  })
})

describe('an address', () => {
  const read = (text: string) => parseQuery({ address: address('') }, queryOf([['address', text]])).address
  const bytes = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((all) => Buffer.from(all).toString('hex'))

  test('of 40 hex digits is the same in lower and in upper case, and in the form that it is shown in', () => {
    fc.assert(
      fc.property(bytes, (hex) => {
        const { shown, key, kind } = read(`0x${hex}`)
        expect([kind, key, shown.toLowerCase()]).toEqual(['evm', `0x${hex}`, `0x${hex}`])
        expect(read(`0x${hex.toUpperCase()}`)).toEqual({ kind, key, shown })
        expect(read(shown)).toEqual({ kind, key, shown })
      }),
    )
  })

  test('with one letter in the other case is refused', () => {
    const swap = (text: string) => (text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase())
    fc.assert(
      fc.property(bytes, fc.nat(39), (hex, from) => {
        const { shown } = read(`0x${hex}`)
        const at = [...Array(40).keys()].map((i) => 2 + ((from + i) % 40)).find((i) => /[a-f]/i.test(shown[i] ?? ''))
        fc.pre(at !== undefined)
        const changed = shown.slice(0, at) + swap(shown[at ?? 0] ?? '') + shown.slice((at ?? 0) + 1)
        const digits = changed.slice(2)
        fc.pre(digits !== digits.toLowerCase() && digits !== digits.toUpperCase())
        expect(() => read(changed)).toThrow('address: invalid value')
      }),
    )
  })

  test('of Solana is base58 of exactly 32 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 28, maxLength: 36 }), (all) => {
        const text = base58(all)
        if (all.length === 32) expect(read(text)).toEqual({ kind: 'solana', shown: text, key: text })
        else expect(() => read(text)).toThrow('address: invalid value')
      }),
    )
  })
})

test('a chain and the word for all of them are read in any case', () => {
  const read = (text: string) => parseQuery({ chain: chain('', ['all']) }, `chain=${text}`).chain
  for (const text of ['base', 'BASE', 'Base', '8453']) expect(read(text)).toBe('base')
  for (const text of ['all', 'ALL', 'All']) expect(read(text)).toBe('all')
  expect(() => read('allow')).toThrow('chain: invalid value "allow"; expected all, or the slug of a chain')
})

/** The plain encoding, leading zeros as ones. */
const base58 = (bytes: Uint8Array): string => {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)
  let text = ''
  for (; rest > 0n; rest /= 58n) text = `${alphabet[Number(rest % 58n)]}${text}`
  const n_zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(n_zeros === -1 ? bytes.length : n_zeros) + text
}
