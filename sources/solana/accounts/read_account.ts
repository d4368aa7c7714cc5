import { z } from 'zod'

import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import { dexPrograms } from '#sources/solana/parse/programs.ts'

import { listSignatures, openTokenAccounts, type Listed } from './list_signatures.ts'
import { readTransactions, withPositions, type RawTransaction } from './read_transactions.ts'
import { tokenAccountsOf } from './token_accounts.ts'

/**
 * All that was read of an account up to the slot `last`. `listed` are the addresses whose transactions were listed to
 * their end: the account and its token accounts. Of slots up to `cut`, transactions of an address were left out; null:
 * of none.
 */
export type AccountReading = {
  last: number
  listed: readonly string[]
  cut: number | null
  transactions: readonly RawTransaction[]
}

/** Transactions of one address: more than that is a history of days, which blocks show at less cost. */
const mostTransactions = 20_000

const headShape = z.object({ last: z.number(), listed: z.array(z.string()), cut: z.number().nullable() })

/** A reading as texts: its addresses, then a transaction each. */
export const bodiesOf = ({ transactions, ...head }: AccountReading): string[] =>
  [head, ...transactions].map((part) => JSON.stringify(part))

/** The reading of {@link bodiesOf}, which are our own; undefined without any. */
export function readingOf([head, ...rest]: readonly string[]): AccountReading | undefined {
  if (head === undefined) return undefined
  return { ...headShape.parse(JSON.parse(head)), transactions: rest.map((text) => JSON.parse(text) as RawTransaction) }
}

/**
 * Reads the transactions of a wallet and of its token accounts, or of a program that trades, above those of `before`. A
 * token account that received without its owner has no transaction of the owner: so each is listed by its own address.
 * It is open now, or its owner signed its closing.
 */
export async function readAccount(
  rpc: Rpc,
  key: string,
  { last, first, before }: { last: number; first: number; before: AccountReading | undefined },
): Promise<AccountReading> {
  const isProgram = dexPrograms.has(key)
  const transactions = new Map((before?.transactions ?? []).map((transaction) => [transaction.signature, transaction]))
  const addresses = new Set<string>([key, ...(before?.listed ?? [])])
  const wasListed = new Set(before?.listed)
  let cut = before?.cut ?? null
  if (!isProgram) for (const address of await openTokenAccounts(rpc, key, last)) addresses.add(address)
  // The set grows while it is read.
  for (const address of addresses) {
    const after = wasListed.has(address) ? (before?.last ?? -1) : first - 1
    const read = await listSignatures(rpc, address, { after, last, most: mostTransactions })
    if (read.isCutOff) cut = Math.max(cut ?? 0, read.listed.at(-1)?.slot ?? 0)
    for (const transaction of await readTransactions(rpc, unread(read.listed, transactions))) {
      transactions.set(transaction.signature, transaction)
      if (!isProgram) for (const account of tokenAccountsOf(transaction.body, key)) addresses.add(account)
    }
  }
  return { last, listed: [...addresses], cut, transactions: await withPositions(rpc, [...transactions.values()]) }
}

/** The listed transactions that are not read yet, each once: one transaction may name many accounts of a wallet. */
const unread = (listed: readonly Listed[], read: ReadonlyMap<string, unknown>): Listed[] => [
  ...new Map(
    listed
      .filter(({ signature }) => !read.has(signature))
      .map((transaction) => [transaction.signature, transaction] as const),
  ).values(),
]
