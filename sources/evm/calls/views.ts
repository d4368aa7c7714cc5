import { keccak_256 } from '@noble/hashes/sha3'

/** A view of a contract: its function with the words of its arguments, as call data. */
export const viewCall = (signature: string, ...words: number[]): string => dataOf(selectorOf(signature), words)

const selectorOf = (signature: string): string => Buffer.from(keccak_256(Buffer.from(signature))).toString('hex', 0, 4)
const dataOf = (selector: string, words: readonly number[]): string =>
  `0x${selector}${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`

/** The most coins of a pool of several. */
const mostCoins = 8
const numbered = (signature: string): string[] => {
  const selector = selectorOf(signature)
  return Array.from({ length: mostCoins }, (_, n) => dataOf(selector, [n]))
}

const pair = [[viewCall('token0()'), viewCall('token1()')]]
const coins = [numbered('coins(uint256)'), numbered('coins(int128)')]

/**
 * The views that name the tokens of a pool, by family: lists of calls, of which the first that answers counts. Other
 * families name the tokens in their events.
 */
export const tokenViews: Readonly<Record<string, readonly (readonly string[])[]>> = {
  uniswap_v2: pair,
  solidly: pair,
  uniswap_v3: pair,
  pancake_v3: pair,
  algebra_integral: pair,
  curve_stable: coins,
  curve_crypto: coins,
  curve_crypto_ng: coins,
  curve_meta: coins,
  saddle: [numbered('getToken(uint8)')],
  liquidity_book: [
    [viewCall('getTokenX()'), viewCall('getTokenY()')],
    [viewCall('tokenX()'), viewCall('tokenY()')],
  ],
  maverick_v1: [[viewCall('tokenA()'), viewCall('tokenB()')]],
  maverick_v2: [[viewCall('tokenA()'), viewCall('tokenB()')]],
  dodo_v1: [[viewCall('_BASE_TOKEN_()'), viewCall('_QUOTE_TOKEN_()')]],
}

export const factoryView = viewCall('factory()')
export const symbolView = viewCall('symbol()')
export const nameView = viewCall('name()')
export const decimalsView = viewCall('decimals()')

const addressWord = /^0x0{24}([0-9a-f]{40})$/

/** The address that a view returned; undefined for another answer, and for the address 0. */
export function addressOf(result: string | null | undefined): string | undefined {
  const [, digits] = addressWord.exec(result?.slice(0, 66) ?? '') ?? []
  return digits === undefined || /^0+$/.test(digits) ? undefined : `0x${digits}`
}

/** The decimals that a view returned; null for another answer. */
export function decimalsOf(result: string | null | undefined): number | null {
  if (result === null || result === undefined || !/^0x[0-9a-f]{64}/.test(result)) return null
  const value = BigInt(result.slice(0, 66))
  return value <= 255n ? Number(value) : null
}

/** Characters of a symbol or name; a hostile token may return a novel. */
const longestText = 64

/** The text that a view returned, as a string or as 32 bytes; null for another answer. */
export function textOf(result: string | null | undefined): string | null {
  const bytes = Buffer.from((result ?? '').slice(2), 'hex')
  const isString = bytes.length >= 64 && bytes.readUInt8(31) === 32 && bytes.subarray(0, 31).every((byte) => byte === 0)
  const length = isString ? Number(BigInt(`0x${bytes.toString('hex', 32, 64)}`)) : 32
  const content = isString ? bytes.subarray(64, 64 + Math.min(length, bytes.length)) : bytes.subarray(0, 32)
  return printableOf(content.toString('utf8'))
}

/** The characters of a name that can be shown; null without any. */
export function printableOf(text: string): string | null {
  const printable = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\ufffd]/gu, '').trim()
  return printable === '' ? null : [...printable].slice(0, longestText).join('')
}
