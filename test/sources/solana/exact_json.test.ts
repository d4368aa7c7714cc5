import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { isExactInteger, parseExactJson } from '#sources/solana/parse/exact_json.ts'
import { sized } from '#test/run/sized.ts'

type Tree = bigint | string | boolean | null | Tree[] | { [name: string]: Tree }

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('amount: 12345678901234567890', ', 18446744073709551615,', String.raw`\": 99999999999999999999`),
)
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
    text,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 5 }),
    fc.dictionary(text, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
  ),
}))

/** JSON with exact integers, with or without space. */
function written(value: Tree, space: string): string {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map((one) => written(one, space)).join(`,${space}`)}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}:${space}${written(one, space)}`)
  return `{${fields.join(`,${space}`)}}`
}

/** If the truth has an integer, the parsed value must be an integer of the same size. */
function expectSame(parsed: unknown, truth: Tree): void {
  if (typeof truth === 'bigint') {
    expect(isExactInteger(parsed)).toBe(true)
    expect(BigInt(parsed as string)).toBe(truth)
  } else if (typeof truth !== 'object' || truth === null) expect(parsed).toBe(truth)
  else {
    expect(Object.keys(parsed as object)).toEqual(Object.keys(truth))
    for (const [name, one] of Object.entries(truth)) expectSame((parsed as Record<string, unknown>)[name], one)
  }
}

describe('parseExactJson', () => {
  test('reads integers of 64 bits exactly, and leaves texts as they are', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom('', ' ', '\n '), (truth, space) => {
        expectSame(parseExactJson(written(truth, space)), truth)
      }),
      { numRuns: sized(200, 800, 3_000) },
    )
  })

  test('reads numbers with a fraction as JSON does', () => {
    const json = '{"a":0.1234567890123456789,"b":1234567890123456.5,"c":1e21,"d":18446744073709551615}'
    const { d, ...others } = JSON.parse(json) as Record<string, number>
    expect(parseExactJson(json)).toEqual({ ...others, d: '18446744073709551615' })
    expect(d).toBe(18446744073709552000)
  })

  test('refuses what is no JSON', () => {
    expect(() => parseExactJson('{"a":18446744073709551615')).toThrow(SyntaxError)
  })
})
