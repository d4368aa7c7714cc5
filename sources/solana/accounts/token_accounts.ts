import { MalformedTransaction, readTransaction, type SolanaTransaction } from '#sources/solana/parse/transaction.ts'

import type { RawTransaction } from './read_transactions.ts'

/**
 * The token accounts of an owner that a transaction shows. A malformed transaction, which is rejected later, shows
 * none.
 */
export function tokenAccountsOf(body: unknown, owner: string): string[] {
  const tx = parsedOf(body)
  return (tx?.tokens ?? []).flatMap((tokenAccount) =>
    tokenAccount.owner === owner ? [tx?.keys[tokenAccount.index] ?? []].flat() : [],
  )
}

function parsedOf(body: unknown): SolanaTransaction | undefined {
  try {
    return readTransaction(body)
  } catch (error) {
    if (error instanceof MalformedTransaction) return undefined
    throw error
  }
}

/**
 * The reason why transactions of a wallet are missing; null if none are. Each transaction must find the lamports and
 * tokens that the one before it left in the wallet and in its token accounts. The first one must find none. Lamports
 * that arrive without a transaction, as the rewards of validators do, look like a missing one.
 */
export function gapOf({
  listed,
  transactions,
}: {
  listed: readonly string[]
  transactions: readonly RawTransaction[]
}): string | null {
  const held = new Map(listed.map((address) => [address, { lamports: 0n, tokens: 0n }]))
  for (const { body, signature } of transactions) {
    const tx = parsedOf(body)
    if (tx === undefined) return `transaction ${signature} does not parse`
    for (const [n, key] of tx.keys.entries()) {
      const account = held.get(key)
      if (account === undefined) continue
      const actual = { lamports: BigInt(tx.pre[n] ?? 0), tokens: tokensAt(tx, n, 'pre') }
      if (actual.lamports !== account.lamports || actual.tokens !== account.tokens)
        return (
          `transaction ${signature} finds ${actual.lamports} lamports and ${actual.tokens} of a token in ${key}; ` +
          `expected ${account.lamports} and ${account.tokens}, as the transaction before it left them`
        )
      held.set(key, { lamports: BigInt(tx.post[n] ?? 0), tokens: tokensAt(tx, n, 'post') })
    }
  }
  return null
}

/** The raw balance of a token account. An account that changed its owner has two entries; one has the amount. */
const tokensAt = ({ tokens }: SolanaTransaction, index: number, side: 'pre' | 'post'): bigint =>
  tokens.reduce((sum, tokenAccount) => (tokenAccount.index === index ? sum + (tokenAccount[side] ?? 0n) : sum), 0n)
