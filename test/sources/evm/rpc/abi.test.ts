import fc from 'fast-check'
import type { Hex } from 'viem'
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  encodeFunctionResult,
  parseAbi,
  toFunctionSelector,
} from 'viem/utils'
import { describe, expect, test } from 'vitest'

import { addressIn, decodeOutputs, encodeCalls, numberIn, viewCall } from '#sources/evm/rpc/abi.ts'

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
        expect(decodeOutputs(answer, list.length)).toEqual(expected)
        expect(decodeOutputs(answer, list.length + 1)).toBeUndefined()
        expect(decodeOutputs(answer.slice(0, -64), list.length)).toBeUndefined()
      }),
    )
  })

  test.each(['0x', '0x00', `0x${'f'.repeat(64)}`, `0x${'f'.repeat(256)}`, 'nothing'])(
    'have none in the answer %s',
    (answer) => {
      expect(decodeOutputs(answer, 1)).toBeUndefined()
    },
  )
})

const word = (value: number): string => value.toString(16).padStart(64, '0')

describe('a view', () => {
  test('is asked by the selector of its function and the words of its arguments', () => {
    expect(viewCall('token0()')).toBe(toFunctionSelector('token0()'))
    expect(viewCall('coins(uint256)', 3)).toBe(`${toFunctionSelector('coins(uint256)')}${word(3)}`)
    const wallet = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'
    const view = parseAbi(['function getEthBalance(address) view returns (uint256)'])
    expect(viewCall('getEthBalance(address)', wallet)).toBe(encodeFunctionData({ abi: view, args: [wallet] }))
  })

  test('returns an address, if it has the form of one', () => {
    expect(addressIn(`0x${'0'.repeat(24)}${'ab'.repeat(20)}`)).toBe(`0x${'ab'.repeat(20)}`)
    for (const output of [`0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`, '0x', null])
      expect(addressIn(output)).toBeUndefined()
  })

  test('returns a number that is exact up to 2^256-1', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (raw) => {
        expect(numberIn(encodeAbiParameters([{ type: 'uint256' }], [raw]))).toBe(raw)
      }),
    )
    for (const output of ['0x', '0x12', null, undefined]) expect(numberIn(output)).toBeNull()
  })
})
