import { hexToString, pad } from 'viem/utils'

import type { ContractCall, Output } from './calls.ts'

/** The calls of a token, and of Multicall3 for the coin. Their selectors are the first bytes of the input. */
export const balanceCall = (token: `0x${string}`, wallet: `0x${string}`): ContractCall => ({
  to: token,
  data: `0x70a08231${pad(wallet).slice(2)}`,
})
export const coinCall = (multicall3: `0x${string}`, wallet: `0x${string}`): ContractCall => ({
  to: multicall3,
  data: `0x4d2301cc${pad(wallet).slice(2)}`,
})
export const decimalsCall = (token: `0x${string}`): ContractCall => ({ to: token, data: '0x313ce567' })
export const symbolCall = (token: `0x${string}`): ContractCall => ({ to: token, data: '0x95d89b41' })

/** The first word of an output as a number; null without one. */
export const wordOf = (output: Output): bigint | null =>
  output === null || output.length < 66 ? null : BigInt(output.slice(0, 66))

/** The decimals of an output: a byte. Null for other words. */
export function decimalsOf(output: Output): number | null {
  const word = wordOf(output)
  return word === null || word > 255n ? null : Number(word)
}

/** The text of an output: a string, or of early tokens 32 bytes that end with zeros. Null if it is no printable word. */
export function symbolOf(output: Output): string | null {
  const first = wordOf(output)
  if (output === null || first === null) return null
  const text = first === 32n ? stringAt(output) : hexToString(`0x${output.slice(2, 66).replace(/(00)+$/, '')}`)
  return /^[!-~]{1,20}$/.test(text) ? text : null
}

/** The text of `length, bytes` at the place of a single string. */
function stringAt(output: `0x${string}`): string {
  const length = Number(wordOf(`0x${output.slice(66)}`) ?? 0n)
  return length > 20 ? '' : hexToString(`0x${output.slice(130, 130 + length * 2)}`)
}
