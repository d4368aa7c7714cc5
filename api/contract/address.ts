import { isAddress } from '@solana/addresses'
import { getAddress } from 'viem/utils'

/** An address as it is served (EIP-55 or base58) and as the marts store it (EVM in lower case). */
export type Address = { kind: 'evm' | 'solana'; shown: string; key: string }

/** The accepted forms, for errors and documentation. */
export const addressForm =
  'an EVM address (0x and 40 hex digits; in mixed case with a valid EIP-55 checksum) ' +
  'or a Solana address (base58 of 32 bytes)'

/** The checksum of mixed case and the length of 32 bytes are no part of it. */
export const addressPattern = '0[xX][0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44}'

export const addressExample = '0xBBc264c10F54A61607A31B53358a5A87d4B045be'

/** Null if the text is not an address. */
export const parseAddress = (text: string): Address | null => {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return parseEvm(text)
  return isAddress(text) ? { kind: 'solana', shown: text, key: text } : null
}

/** The EIP-55 form of an EVM address of the marts; any other text unchanged. */
export const showAddress = (key: string): string => (/^0x[0-9a-f]{40}$/.test(key) ? getAddress(key) : key)

const parseEvm = (text: string): Address | null => {
  const hex = text.slice(2)
  const key = `0x${hex.toLowerCase()}` as const
  const shown = getAddress(key)
  const isMixed = hex !== hex.toLowerCase() && hex !== hex.toUpperCase()
  return isMixed && `0x${hex}` !== shown ? null : { kind: 'evm', shown, key }
}
