import { getBase58Decoder, getBase58Encoder } from '@solana/codecs-strings'
import { expect, test } from 'vitest'

import { movementsOf } from '#sources/solana/parse/movements.ts'
import { systemProgram } from '#sources/solana/parse/programs.ts'
import { readTransaction } from '#sources/solana/parse/transaction.ts'

const [wallet, account, stakes] = ['wallet', 'account', 'Stake11111111111111111111111111111111111111']
const fee = 5_000

/** The call of the system program that makes an account of so many bytes, in the two encodings of nodes. */
const calls = {
  json: (lamports: number, space: number) => {
    const data = Buffer.alloc(52)
    data.writeBigUInt64LE(BigInt(lamports), 4)
    data.writeBigUInt64LE(BigInt(space), 12)
    data.set(getBase58Encoder().encode(stakes), 20)
    return { programIdIndex: 2, accounts: [0, 1], data: getBase58Decoder().decode(data) }
  },
  'json with a seed': (lamports: number, space: number) => {
    const seed = 'a seed of an account'
    const data = Buffer.alloc(92 + seed.length)
    data.writeUInt32LE(3)
    data.fill(7, 4, 36)
    data.writeBigUInt64LE(BigInt(seed.length), 36)
    data.write(seed, 44)
    data.writeBigUInt64LE(BigInt(lamports), 44 + seed.length)
    data.writeBigUInt64LE(BigInt(space), 52 + seed.length)
    data.set(getBase58Encoder().encode(stakes), 60 + seed.length)
    return { programIdIndex: 2, accounts: [0, 1, 0], data: getBase58Decoder().decode(data) }
  },
  jsonParsed: (lamports: number, space: number) => {
    const info = { source: wallet, newAccount: account, lamports, space, owner: stakes }
    return { programId: systemProgram, parsed: { type: 'createAccount', info } }
  },
}

/** The lamports that a wallet paid as rent for an account that a transaction made, and its other lamports. */
function paidFor(encoding: keyof typeof calls, lamports: number, space: number): Record<string, bigint> {
  const tx = readTransaction({
    transaction: {
      signatures: ['signature'],
      message: {
        accountKeys: [wallet, account, systemProgram],
        header: { numRequiredSignatures: 1 },
        instructions: [calls[encoding](lamports, space)],
      },
    },
    meta: {
      err: null,
      fee,
      preBalances: [10 ** 12, 0, 1],
      postBalances: [10 ** 12 - lamports - fee, lamports, 1],
    },
  })
  const own = movementsOf(tx).filter(({ owner }) => owner === wallet)
  return Object.fromEntries(own.map(({ kind, amount, isIn }) => [kind, isIn ? amount : -amount]))
}

test.each(['json', 'json with a seed', 'jsonParsed'] as const)(
  'the rent of a new account is what its size needs: %s',
  (encoding) => {
    expect(paidFor(encoding, 2_282_880, 200)).toEqual({ delta: -2_282_880n, rent: -2_282_880n })
    // A stake of 100 SOL is a payment, and no fee.
    expect(paidFor(encoding, 100_002_282_880, 200)).toEqual({ delta: -100_002_282_880n, rent: -2_282_880n })
    // An account may have less, if the chain asks for less.
    expect(paidFor(encoding, 1_000_000, 200)).toEqual({ delta: -1_000_000n, rent: -1_000_000n })
  },
)
