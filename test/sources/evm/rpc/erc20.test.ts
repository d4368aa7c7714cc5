import fc from 'fast-check'
import { encodeAbiParameters, encodeFunctionData, parseAbi, stringToHex } from 'viem/utils'
import { describe, expect, test } from 'vitest'

import { balanceCall, decimalsIn, decimalsView, nameView, symbolView, textIn } from '#sources/evm/rpc/erc20.ts'

const abi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
  'function name() view returns (string)',
])
const token = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const wallet = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'

test('the calls are those of the ABI', () => {
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [wallet] })
  expect(balanceCall(token, wallet)).toEqual({ to: token, data })
  expect(decimalsView).toBe(encodeFunctionData({ abi, functionName: 'decimals' }))
  expect(symbolView).toBe(encodeFunctionData({ abi, functionName: 'symbol' }))
  expect(nameView).toBe(encodeFunctionData({ abi, functionName: 'name' }))
})

const word = (value: bigint | number): string => value.toString(16).padStart(64, '0')
const string = (text: string): string => encodeAbiParameters([{ type: 'string' }], [text])

describe('the text of a token', () => {
  test('is a string, or 32 bytes', () => {
    expect(textIn(string('USDC'))).toBe('USDC')
    expect(textIn(string('a name that needs more than 32 bytes'))).toBe('a name that needs more than 32 bytes')
    expect(textIn(stringToHex('MKR', { size: 32 }))).toBe('MKR')
  })

  test.each([
    ['the letters of any script', string('USD₮0'), 'USD₮0'],
    ['what can be seen of control characters', string('A\u0000\u202e\nB\u200b'), 'AB'],
    ['the start of a novel', string('x'.repeat(5_000)), 'x'.repeat(64)],
    ['cut where its bytes end', `0x${word(32)}${word(1n << 255n)}${'41'.repeat(32)}`, 'A'.repeat(32)],
    ['none without bytes', '0x', null],
    ['none if it is empty', string(''), null],
    ['none if the token refused', null, null],
  ])('is %s', (_, output, text) => {
    expect(textIn(output)).toBe(text)
  })

  test('is none or at most 64 characters, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isString) => {
        const output = `0x${isString ? word(32) : ''}${Buffer.from(bytes).toString('hex')}`
        const text = textIn(output)
        if (text !== null) expect([...text].length).toBeLessThanOrEqual(64)
      }),
    )
  })
})

test('decimals are a byte', () => {
  for (const value of [0, 18, 255]) expect(decimalsIn(`0x${word(value)}`)).toBe(value)
  for (const output of [`0x${word(256)}`, '0x12', '0x', null]) expect(decimalsIn(output)).toBeNull()
})
