import { getBase58Encoder } from '@solana/codecs-strings'

import { isExactInteger } from './exact_json.ts'
import { systemProgram } from './programs.ts'

/** A new account of a program, as a call names it: positions in the transaction, or addresses in `jsonParsed`. */
type Created = { account: unknown; payer: unknown; lamports: bigint }

/** The data of `CreateAccount` are 52 bytes that begin with four zeros, each a `1` in base58. */
const createAccount = /^1111[1-9A-HJ-NP-Za-km-z]{56,}$/
const offsets = { lamports: 4, owner: 20, end: 52 }

/**
 * The account that a call of the system program makes for another program. Undefined for other calls, and for an
 * account that the system program owns, which is a wallet.
 */
export function createdBy({ accounts, data, parsed }: Record<string, unknown>): Created | undefined {
  if (typeof parsed === 'object' && parsed !== null) return createdByParsed(parsed as Record<string, unknown>)
  if (typeof data !== 'string' || !createAccount.test(data) || !Array.isArray(accounts)) return undefined
  const known = givenBy.get(data)
  const lamports = known === undefined ? givenTo(data) : known
  if (givenBy.size >= mostKnown) givenBy.clear()
  givenBy.set(data, lamports)
  const [payer, account] = accounts as unknown[]
  return lamports === null ? undefined : { account, payer, lamports }
}

/** The data of almost all calls are equal, since token accounts have one size. */
const givenBy = new Map<string, bigint | null>()
const mostKnown = 1_000

/**
 * The lamports that data of `CreateAccount` give to an account of a program; null for an account of the system program.
 */
function givenTo(data: string): bigint | null {
  const bytes = Buffer.from(getBase58Encoder().encode(data))
  const owner = bytes.subarray(offsets.owner, offsets.end)
  if (bytes.length !== offsets.end || owner.every((byte) => byte === 0)) return null
  return bytes.readBigUInt64LE(offsets.lamports)
}

function createdByParsed({ type, info }: Record<string, unknown>): Created | undefined {
  if (typeof type !== 'string' || !type.startsWith('createAccount')) return undefined
  const { source, newAccount, lamports, owner } = info as Record<string, unknown>
  if (owner === systemProgram || !isExactInteger(lamports)) return undefined
  return { account: newAccount, payer: source, lamports: BigInt(lamports) }
}
