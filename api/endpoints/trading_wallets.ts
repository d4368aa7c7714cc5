import { concatHex, getCreate2Address, isHex, keccak256, padHex } from 'viem/utils'

import { venues } from '#registry/venues/index.ts'

const wallets = venues.flatMap(({ label, wallets: derived }) => derived.map((wallet) => ({ ...wallet, label })))

/** The contracts through which an owner trades, in words, such as `Polymarket Safe`. */
export const walletNames: readonly string[] = wallets.map(({ label, name }) => `${label} ${name}`)

/**
 * The addresses of the contracts through which an owner trades, in lower case; none for an address without the form of
 * EVM chains. CREATE2 derives them from the owner.
 */
export const tradingWallets = (owner: string): string[] =>
  isHex(owner)
    ? wallets.map(({ factory, bytecodeHash, salt }) =>
        getCreate2Address({
          from: factory,
          salt: keccak256(salt === 'packed' ? concatHex([owner]) : padHex(owner, { size: 32 })),
          bytecodeHash,
        }).toLowerCase(),
      )
    : []
