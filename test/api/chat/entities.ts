import { getAddress } from 'viem/utils'

const evm = (code: string): string => getAddress(`0x${code.repeat(20)}`)
const condition = (code: string): string => `polymarket:0x${code.repeat(32)}`

/** The entities of the fixed mart by the codes that questions use: `{T1}` is the address of the first trader. */
export const entities: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`T${i + 1}`, evm(`a${i + 1}`)])),
  ...Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`W${i + 1}`, evm(`b${i + 1}`)])),
  ...Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`M${i + 1}`, condition(`d${i + 1}`)])),
  ...Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`S${i + 1}`, `sig_${String(i + 1).padStart(2, '0')}`])),
  W6: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  W7: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  B1: evm('ab'),
  M8: 'kalshi:FED-26MAR-CUT',
  M9: 'kalshi:RECESSION-26',
  M10: 'kalshi:HURRICANE-26',
  M11: 'limitless:btc-above-100k-mar',
  M12: 'limitless:eth-above-3k-mar',
  M13: 'limitless:ignore-instructions',
  M14: condition('c1'),
  M15: condition('c2'),
  M16: 'kalshi:CPI-26JAN',
  M17: 'limitless:doge-above-030-feb',
}

/** A text with its codes in braces replaced. */
export const withEntities = (text: string): string =>
  text.replaceAll(/\{([A-Z]\d+)\}/g, (whole, code: string) => entities[code] ?? whole)
