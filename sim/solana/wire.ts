import { getBase58Decoder } from '@solana/codecs-strings'

import type { BankCall, BankTransaction } from './bank.ts'
import { ownerOf, type SolanaToken } from './market.ts'
import { mainnet } from './names.ts'
import type { PlacedTransaction, SimulatedBlock } from './world.ts'

type Encoding = 'json' | 'jsonParsed'

/** A block as `getBlock` answers it, with transactions or without. */
export const wireBlock = (
  block: SimulatedBlock,
  { isFull, encoding, tokens }: { isFull: boolean; encoding: Encoding; tokens: readonly SolanaToken[] },
) => ({
  blockHeight: block.slot,
  blockTime: block.time_s,
  blockhash: block.hash,
  parentSlot: block.parent,
  previousBlockhash: block.parent_hash,
  ...(isFull
    ? { transactions: block.transactions.map((transaction) => wireTransaction(transaction, encoding, tokens)) }
    : {}),
})

/** A transaction with its status, as `getBlock` and `getTransaction` answer it. */
export const wireTransaction = (
  { signature, made }: PlacedTransaction,
  encoding: Encoding,
  tokens: readonly SolanaToken[],
): { transaction: unknown; meta: unknown; version: number | 'legacy' } =>
  made === null ? wireVote(signature, encoding) : wireMade(signature, made, { encoding, tokens })

function wireMade(
  signature: string,
  made: BankTransaction,
  { encoding, tokens }: { encoding: Encoding; tokens: readonly SolanaToken[] },
): ReturnType<typeof wireTransaction> {
  const { staticKeys, writable, readonly } = keysOf(made)
  const keys = [...staticKeys, ...writable, ...readonly]
  const isParsed = encoding === 'jsonParsed'
  const { outer, inner } = callsOf(made, keys, isParsed)
  const lamports = keys.map((key) => made.lamports.get(key) ?? { pre: 1n, post: 1n })
  const balances = (side: 'pre' | 'post') =>
    [...made.tokens].flatMap(([address, { account, [side]: amount }]) => {
      if (amount === null) return []
      const token = tokens.find(({ mint }) => mint === account.mint) ?? { decimals: 6, program: mainnet.token }
      return {
        accountIndex: keys.indexOf(address),
        mint: account.mint,
        owner: ownerOf(account.owner),
        programId: token.program,
        uiTokenAmount: { amount: amount.toString(), decimals: token.decimals },
      }
    })
  const accountKeys = isParsed
    ? keys.map((pubkey, n) => ({
        pubkey,
        signer: made.signers.includes(pubkey),
        writable: n < staticKeys.length,
        source: n < staticKeys.length ? 'transaction' : 'lookupTable',
      }))
    : staticKeys
  return {
    version: 0,
    transaction: {
      signatures: made.signers.map((_, n) => (n === 0 ? signature : `${signature.slice(1)}${n}`)),
      message: { accountKeys, header: { numRequiredSignatures: made.signers.length }, instructions: outer },
    },
    meta: {
      err: made.isOk ? null : { InstructionError: [0, { Custom: 6_001 }] },
      fee: Number(made.fee),
      preBalances: lamports.map(({ pre }) => pre),
      postBalances: lamports.map(({ post }) => post),
      preTokenBalances: balances('pre'),
      postTokenBalances: balances('post'),
      innerInstructions: inner,
      loadedAddresses: isParsed ? undefined : { writable, readonly },
      logMessages: logsOf(made),
    },
  }
}

/** The accounts of a transaction: its own, and those that it loads from a lookup table, as version 0 does. */
function keysOf({ payer, signers, calls, lamports }: BankTransaction) {
  const programs = new Set(calls.map(({ program }) => program))
  const outer = new Set(calls.filter(({ isInner }) => isInner !== true).map(({ program }) => program))
  const first = [...new Set([payer, ...signers])]
  const rest = [...lamports.keys()].filter((key) => !first.includes(key) && !programs.has(key))
  const readonly = [...programs].filter((program) => !outer.has(program))
  return { staticKeys: [...first, ...rest.slice(0, 3), ...outer], writable: rest.slice(3), readonly }
}

function callsOf({ calls }: BankTransaction, keys: readonly string[], isParsed: boolean) {
  const outer: unknown[] = []
  const inner: { index: number; instructions: unknown[] }[] = []
  for (const call of calls) {
    const wired = wireCall(call, keys, isParsed)
    if (call.isInner !== true || outer.length === 0) outer.push(wired)
    else {
      const last = inner.at(-1)
      if (last?.index === outer.length - 1) last.instructions.push(wired)
      else inner.push({ index: outer.length - 1, instructions: [wired] })
    }
  }
  return { outer, inner }
}

/** The data of `CreateAccount`: its number, lamports, the space of a token account, and the program of tokens. */
const createAccount = getBase58Decoder().decode(
  Buffer.from(`00000000f01d1f0000000000a500000000000000${'06'.repeat(32)}`, 'hex'),
)

function wireCall({ program, accounts, data }: BankCall, keys: readonly string[], isParsed: boolean): unknown {
  const isCreate = data === 'createAccount'
  if (!isParsed)
    return {
      programIdIndex: keys.indexOf(program),
      accounts: accounts.map((account) => keys.indexOf(account)),
      data: isCreate ? createAccount : 'Axb',
    }
  if (!isCreate) return { programId: program, accounts, data: 'Axb' }
  const [source, newAccount] = accounts
  const info = { source, newAccount, lamports: 2_039_280, owner: mainnet.token, space: 165 }
  return { programId: program, program: 'system', parsed: { type: 'createAccount', info } }
}

/** The log of each call, as the runtime writes it. */
const logsOf = ({ calls }: BankTransaction): string[] =>
  calls.flatMap(({ program, isInner }) => [
    `Program ${program} invoke [${isInner === true ? 2 : 1}]`,
    'Program log: Instruction, amount: 12345678',
    `Program ${program} consumed 4645 of 132151 compute units`,
    `Program ${program} success`,
  ])

function wireVote(signature: string, encoding: Encoding): ReturnType<typeof wireTransaction> {
  const keys = [signature.slice(0, 44), mainnet.vote]
  const accountKeys = encoding === 'json' ? keys : keys.map((pubkey, n) => ({ pubkey, signer: n === 0 }))
  const call =
    encoding === 'json' ? { programIdIndex: 1, accounts: [0] } : { programId: mainnet.vote, accounts: [keys[0]] }
  return {
    version: 'legacy',
    transaction: {
      signatures: [signature],
      message: { accountKeys, header: { numRequiredSignatures: 1 }, instructions: [{ ...call, data: 'Axb' }] },
    },
    meta: {
      err: null,
      fee: 5_000,
      preBalances: [1_000_000, 1],
      postBalances: [995_000, 1],
      preTokenBalances: [],
      postTokenBalances: [],
      innerInstructions: [],
    },
  }
}
