import fc from 'fast-check'
import { encodeAbiParameters, encodeFunctionData } from 'viem/utils'
import { describe, expect, test } from 'vitest'

import {
  balanceCall,
  coinCall,
  decimalsCall,
  decimalsOf,
  symbolCall,
  symbolOf,
  wordOf,
} from '#sources/evm/balances/token_calls.ts'

const token = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const wallet = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'

const view = (name: string, inputs: { type: string }[] = []) => ({
  type: 'function' as const,
  name,
  stateMutability: 'view' as const,
  inputs,
  outputs: [],
})

test('the inputs are those of the ABI', () => {
  const ofAddress = (name: string) =>
    encodeFunctionData({ abi: [view(name, [{ type: 'address' }])], functionName: name, args: [wallet] })
  expect(balanceCall(token, wallet)).toEqual({ to: token, data: ofAddress('balanceOf') })
  expect(coinCall(token, wallet)).toEqual({ to: token, data: ofAddress('getEthBalance') })
  expect(decimalsCall(token).data).toBe(encodeFunctionData({ abi: [view('decimals')] }))
  expect(symbolCall(token).data).toBe(encodeFunctionData({ abi: [view('symbol')] }))
})

describe('an output', () => {
  test('of a word is exact up to 2^256-1', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (raw) => {
        expect(wordOf(encodeAbiParameters([{ type: 'uint256' }], [raw]))).toBe(raw)
      }),
    )
  })

  test('of text is its symbol, as a string or as 32 bytes', () => {
    expect(symbolOf(encodeAbiParameters([{ type: 'string' }], ['USDC']))).toBe('USDC')
    expect(symbolOf('0x4d4b520000000000000000000000000000000000000000000000000000000000')).toBe('MKR')
  })

  test.each(['', 'a b', 'x'.repeat(21), '<script>\n', 'US\u200BDC', 'ＵＳＤ'])('of "%s" is no symbol', (text) => {
    expect(symbolOf(encodeAbiParameters([{ type: 'string' }], [text]))).toBeNull()
  })

  test('of other bytes is none', () => {
    expect([decimalsOf('0x'), decimalsOf(null), wordOf('0x12'), symbolOf(null)]).toEqual([null, null, null, null])
    expect(decimalsOf(encodeAbiParameters([{ type: 'uint256' }], [256n]))).toBeNull()
    expect(decimalsOf(encodeAbiParameters([{ type: 'uint256' }], [255n]))).toBe(255)
  })

  test('of any bytes is an answer, never an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const output = `0x${Buffer.from(bytes).toString('hex')}` as const
        for (const read of [wordOf, decimalsOf, symbolOf]) expect(() => read(output)).not.toThrow()
        const offset = `0x${'20'.padStart(64, '0')}${Buffer.from(bytes).toString('hex')}` as const
        expect(() => symbolOf(offset)).not.toThrow()
      }),
    )
  })
})
