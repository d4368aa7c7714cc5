import type { DerivedWallet } from '#registry/venues/venue.ts'

import { hashOf } from './position_ids.ts'

/** The CREATE2 address of the wallet that a factory makes for an owner. */
export function walletOf({ factory, bytecodeHash, salt }: DerivedWallet, owner: string): string {
  const digits = owner.slice(2).toLowerCase()
  const saltHash = hashOf(salt === 'word' ? digits.padStart(64, '0') : digits)
  const hash = hashOf('ff', factory.slice(2), saltHash.slice(2), bytecodeHash.slice(2))
  return `0x${hash.slice(26)}`
}
