import { numberIn, viewCall, type ContractCall, type Output } from './abi.ts'

/** The views of a token, as call data. */
export const symbolView = viewCall('symbol()')
export const nameView = viewCall('name()')
export const decimalsView = viewCall('decimals()')

/** The call for the balance of a wallet. Its result is read by `numberIn`. */
export const balanceCall = (token: string, wallet: string): ContractCall => ({
  to: token,
  data: viewCall('balanceOf(address)', wallet),
})

/** The decimals that a token returned; null for another result. */
export function decimalsIn(output: Output | undefined): number | null {
  const value = numberIn(output)
  return value === null || value > 255n ? null : Number(value)
}

/** Characters of a symbol or name; a hostile token may return a novel. */
const longestText = 64

/** The symbol or name that a token returned, as a string or as 32 bytes; null for another result. */
export function textIn(output: Output | undefined): string | null {
  const bytes = Buffer.from((output ?? '').slice(2), 'hex')
  const isString = bytes.length >= 64 && bytes.readUInt8(31) === 32 && bytes.subarray(0, 31).every((byte) => byte === 0)
  const length = isString ? Number(BigInt(`0x${bytes.toString('hex', 32, 64)}`)) : 32
  const content = isString ? bytes.subarray(64, 64 + Math.min(length, bytes.length)) : bytes.subarray(0, 32)
  return printable(content.toString('utf8'))
}

/**
 * The characters of a name that can be shown; null without any. Letters of all scripts are among them, since dollars
 * such as `USD₮0` have such symbols; characters without a width, or that turn the direction of a text, are not.
 */
export function printable(text: string): string | null {
  const shown = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\ufffd]/gu, '').trim()
  return shown === '' ? null : [...shown].slice(0, longestText).join('')
}
