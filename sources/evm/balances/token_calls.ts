/** A read of a contract: its address and input. */
export type ContractCall = { to: `0x${string}`; data: `0x${string}` }

/** The output of a call; null if the contract has none, or failed. */
export type Output = `0x${string}` | null

const wordOfAddress = (address: `0x${string}`): string => address.slice(2).padStart(64, '0')

/** The calls of a token, and of Multicall3 for the coin. Their selectors are the first bytes of the input. */
export const balanceCall = (token: `0x${string}`, wallet: `0x${string}`): ContractCall => ({
  to: token,
  data: `0x70a08231${wordOfAddress(wallet)}`,
})
export const coinCall = (multicall3: `0x${string}`, wallet: `0x${string}`): ContractCall => ({
  to: multicall3,
  data: `0x4d2301cc${wordOfAddress(wallet)}`,
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

/**
 * The text of an output: a string, or of early tokens 32 bytes that end with zeros. Null if it is no printable word.
 */
export function symbolOf(output: Output): string | null {
  const first = wordOf(output)
  if (output === null || first === null) return null
  const text = first === 32n ? stringAt(output) : textOf(output.slice(2, 66).replace(/(00)+$/, ''))
  return /^[!-~]{1,20}$/.test(text) ? text : null
}

/** The text of `length, bytes` at the place of a single string. */
function stringAt(output: `0x${string}`): string {
  const length = Number(wordOf(`0x${output.slice(66)}`) ?? 0n)
  return length > 20 ? '' : textOf(output.slice(130, 130 + length * 2))
}

const textOf = (hex: string): string => new TextDecoder().decode(Buffer.from(hex, 'hex'))
