/** The kinds of addresses: those of EVM chains, and those of Solana. */
export type AddressKind = 'evm' | 'solana'

const forms: Readonly<Record<AddressKind, RegExp>> = {
  evm: /^0x[0-9a-f]{40}$/i,
  // Base58 has no `0`, so that no address has both forms.
  solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
}

/** The kind of an address by its form; undefined for other texts. */
export function addressKind(text: string): AddressKind | undefined {
  if (forms.solana.test(text)) return 'solana'
  return forms.evm.test(text) ? 'evm' : undefined
}

/**
 * The keys that a reader of one kind of addresses is asked about: all but addresses of the other kind. Texts that are
 * no address stay, so that the reader refuses them. A reader of other keys (undefined) is asked about all.
 */
export const keysOfKind = (keys: readonly string[], kind: AddressKind | undefined): string[] =>
  keys.filter((key) => kind === undefined || (addressKind(key) ?? kind) === kind)
