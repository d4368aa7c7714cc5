import fc from 'fast-check'
import type { Hex } from 'viem'
import { decodeFunctionData, encodeFunctionResult, parseAbi, stringToHex, toFunctionSelector } from 'viem/utils'
import { describe, expect, test } from 'vitest'

import { decodeResults, encodeCalls } from '#sources/evm/calls/multicall.ts'
import { addressOf, decimalsOf, textOf, viewCall } from '#sources/evm/calls/views.ts'

const abi = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) returns ((bool success, bytes returnData)[])',
])
const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hexOf)
const data = fc.uint8Array({ maxLength: 100 }).map(hexOf)

describe('many calls at once', () => {
  test('are encoded as viem decodes them', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ to: address, data }), { maxLength: 8 }), (calls) => {
        const { args } = decodeFunctionData({ abi, data: encodeCalls(calls) as Hex })
        const read = args[0].map(({ target, allowFailure, callData }) => [target.toLowerCase(), allowFailure, callData])
        expect(read).toEqual(calls.map((call) => [call.to, true, call.data]))
      }),
    )
  })

  test('have results as viem encodes them', () => {
    const results = fc.array(fc.record({ success: fc.boolean(), returnData: data }), { maxLength: 8 })
    fc.assert(
      fc.property(results, (list) => {
        const answer = encodeFunctionResult({ abi, result: list })
        const expected = list.map(({ success, returnData }) => (success ? returnData : null))
        expect(decodeResults(answer, list.length)).toEqual(expected)
        expect(decodeResults(answer, list.length + 1)).toBeUndefined()
        expect(decodeResults(answer.slice(0, -64), list.length)).toBeUndefined()
      }),
    )
  })

  test.each(['0x', '0x00', `0x${'f'.repeat(64)}`, `0x${'f'.repeat(256)}`, 'nothing'])(
    'have none in the answer %s',
    (answer) => {
      expect(decodeResults(answer, 1)).toBeUndefined()
    },
  )
})

const word = (value: bigint | number): string => value.toString(16).padStart(64, '0')
const stringResult = (text: string): string => {
  const bytes = Buffer.from(text)
  return `0x${word(32)}${word(bytes.length)}${bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0')}`
}

describe('the result of a view', () => {
  test('is a text, as a string or as 32 bytes', () => {
    expect(textOf(stringResult('USDC'))).toBe('USDC')
    expect(textOf(stringResult('a name that needs more than 32 bytes'))).toBe('a name that needs more than 32 bytes')
    expect(textOf(stringToHex('MKR', { size: 32 }))).toBe('MKR')
  })

  test.each([
    ['a text with control characters', stringResult('A\u0000\u202e\nB'), 'AB'],
    ['a novel', stringResult('x'.repeat(5_000)), 'x'.repeat(64)],
    ['a length beyond its bytes', `0x${word(32)}${word(1n << 255n)}${'41'.repeat(32)}`, 'A'.repeat(32)],
    ['no bytes', '0x', null],
    ['an empty text', stringResult(''), null],
    ['nothing', null, null],
  ])('may be %s', (_, result, text) => {
    expect(textOf(result)).toBe(text)
  })

  test('is an address or decimals, if it has their form', () => {
    expect(addressOf(`0x${'0'.repeat(24)}${'ab'.repeat(20)}`)).toBe(`0x${'ab'.repeat(20)}`)
    for (const result of [`0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`, '0x', null])
      expect(addressOf(result)).toBeUndefined()
    expect(decimalsOf(`0x${word(18)}`)).toBe(18)
    for (const result of [`0x${word(256)}`, '0x12', '0x', null]) expect(decimalsOf(result)).toBeNull()
  })

  test('is asked by the selector of its function', () => {
    expect(viewCall('token0()')).toBe(toFunctionSelector('token0()'))
    expect(viewCall('coins(uint256)', 3)).toBe(`${toFunctionSelector('coins(uint256)')}${word(3)}`)
  })
})
