import { getBase58Encoder } from '@solana/codecs-strings'

import { isExactInteger } from './exact_json.ts'
import { systemProgram } from './programs.ts'

/** A new account of a program, as a call names it: positions in the transaction, or addresses in `jsonParsed`. */
type Created = { account: unknown; payer: unknown; rent: bigint }

/**
 * The data of `CreateAccount` are 52 bytes that begin with four zeros, each a `1` in base58. Those of
 * `CreateAccountWithSeed` have 92 bytes and a seed of up to 32.
 */
const creation = /^(?:1111[1-9A-HJ-NP-Za-km-z]{56,}|[2-9A-HJ-NP-Za-km-z][1-9A-HJ-NP-Za-km-z]{119,179})$/
/** By the number of the call: the bytes before the lamports. A seed stands behind its length, a number of 8 bytes. */
const createAccount = 0
const createAccountWithSeed = 3
const [baseEnd, seedStart] = [36, 44]
/** From the lamports on. */
const offsets = { space: 8, owner: 16, end: 48 }

/**
 * The part of the lamports of a new account that is its rent: at most what the chain asks for an account of its size.
 * More lamports are a payment, such as a stake.
 */
const rentIn = (lamports: bigint, space: bigint): bigint => {
  const least = (128n + space) * 6_960n
  return lamports < least ? lamports : least
}

/**
 * The account that a call of the system program makes for another program. Undefined for other calls, and for an
 * account that the system program owns, which is a wallet.
 */
export function createdBy({ accounts, data, parsed }: Record<string, unknown>): Created | undefined {
  if (typeof parsed === 'object' && parsed !== null) return createdByParsed(parsed as Record<string, unknown>)
  if (typeof data !== 'string' || !creation.test(data) || !Array.isArray(accounts)) return undefined
  const cached = givenBy.get(data)
  const rent = cached === undefined ? givenTo(data) : cached
  if (givenBy.size >= mostKnown) givenBy.clear()
  givenBy.set(data, rent)
  const [payer, account] = accounts as unknown[]
  return rent === null ? undefined : { account, payer, rent }
}

/** The data of most calls are equal, since token accounts have one size. */
const givenBy = new Map<string, bigint | null>()
const mostKnown = 1_000

/**
 * The rent that the data of a creation give to an account of a program; null for an account of the system program.
 */
function givenTo(data: string): bigint | null {
  const bytes = Buffer.from(getBase58Encoder().encode(data))
  const fields = bytes.subarray(givenFrom(bytes))
  const owner = fields.subarray(offsets.owner)
  if (fields.length !== offsets.end || owner.every((byte) => byte === 0)) return null
  return rentIn(fields.readBigUInt64LE(), fields.readBigUInt64LE(offsets.space))
}

/** The start of the lamports; the end of the data for another call. */
function givenFrom(bytes: Buffer): number {
  const call = bytes.readUInt32LE()
  if (call === createAccount) return 4
  return call === createAccountWithSeed ? seedStart + Number(bytes.readBigUInt64LE(baseEnd)) : bytes.length
}

function createdByParsed({ type, info }: Record<string, unknown>): Created | undefined {
  if (typeof type !== 'string' || !type.startsWith('createAccount')) return undefined
  const { source, newAccount, lamports, space, owner } = info as Record<string, unknown>
  if (owner === systemProgram || !isExactInteger(lamports) || !isExactInteger(space)) return undefined
  return { account: newAccount, payer: source, rent: rentIn(BigInt(lamports), BigInt(space)) }
}
