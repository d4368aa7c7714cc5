import { tipAccounts, wrappedSol } from './programs.ts'
import type { SolanaTransaction } from './transaction.ts'

/** The name of SOL, and of its wrapped form, among tokens. */
export const native = 'native'

/**
 * A net movement of one owner. `delta` is what the owner has more or less of a token after the transaction, the fee added
 * back; `rent` and `tip` are the parts of a delta of SOL that are no trade. `amount` is positive: the owner got it if it
 * is `isIn`, otherwise gave it. `other` is the account of a tip.
 */
export type Movement = {
  kind: 'delta' | 'rent' | 'tip'
  owner: string
  token: string
  amount: bigint
  isIn: boolean
  other: string
}

/**
 * The movements of a transaction, in an order that follows from the transaction alone. The lamports of a token account
 * beyond its wrapped SOL are its rent: who paid it at creation gave it, and its owner gets it back at closing.
 */
export function movementsOf(tx: SolanaTransaction): Movement[] {
  const deltas = deltasOf(tx)
  const rows: Movement[] = []
  for (const [owner, tokens] of inOrder(deltas)) {
    for (const [token, amount] of inOrder(tokens)) if (amount !== 0n) rows.push(moved('delta', owner, token, amount))
  }
  for (const [owner, amount] of inOrder(rentsOf(tx))) if (amount !== 0n) rows.push(moved('rent', owner, native, amount))
  for (const [n, key] of tx.keys.entries()) {
    if (!tipAccounts.has(key) || tx.pre[n] === tx.post[n]) continue
    const tip = lamportsOf(tx, n)
    if (tip > 0n) rows.push({ ...moved('tip', payerOf(tx), native, -tip), other: key })
  }
  return rows
}

/** Nodes may list balances in any order. */
const inOrder = <T>(entries: ReadonlyMap<string, T>): [string, T][] =>
  [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1))

const moved = (kind: Movement['kind'], owner: string, token: string, amount: bigint): Movement => ({
  kind,
  owner,
  token,
  amount: amount < 0n ? -amount : amount,
  isIn: amount > 0n,
  other: '',
})

/** The account that pays the fee. */
export const payerOf = ({ keys }: SolanaTransaction): string => keys[0] ?? ''

/** What an account has more of after the transaction, in lamports. */
const lamportsOf = ({ pre, post }: SolanaTransaction, index: number): bigint =>
  BigInt(post[index] ?? 0) - BigInt(pre[index] ?? 0)

/** What each owner has more of each token, by owner and token. SOL is one token with its wrapped form. */
export function deltasOf(tx: SolanaTransaction): Map<string, Map<string, bigint>> {
  const deltas = new Map<string, Map<string, bigint>>()
  const add = (owner: string, token: string, amount: bigint): void => {
    if (amount === 0n) return
    const own = deltas.get(owner) ?? new Map<string, bigint>()
    deltas.set(owner, own.set(token, (own.get(token) ?? 0n) + amount))
  }
  const ofTokens = new Set<number>()
  for (const { index, owner, mint, pre, post } of tx.tokens) {
    ofTokens.add(index)
    add(owner, mint === wrappedSol ? native : mint, (post ?? 0n) - (pre ?? 0n))
  }
  for (const [n, key] of tx.keys.entries()) {
    const fee = n === 0 ? tx.fee : 0n
    if (!ofTokens.has(n) && (fee !== 0n || tx.pre[n] !== tx.post[n])) add(key, native, lamportsOf(tx, n) + fee)
  }
  return deltas
}

/** The rent that each owner got back (plus) or paid (minus). */
function rentsOf(tx: SolanaTransaction): Map<string, bigint> {
  const rents = new Map<string, bigint>()
  const add = (owner: string, amount: bigint): unknown => rents.set(owner, (rents.get(owner) ?? 0n) + amount)
  const payers = new Map(tx.created.map(({ index, payer }) => [index, payer]))
  const beyond = new Map<number, bigint>()
  const owners = new Map<number, string>()
  for (const { index, owner, mint, pre, post } of tx.tokens) {
    const wrapped = mint === wrappedSol ? (post ?? 0n) - (pre ?? 0n) : 0n
    beyond.set(index, (beyond.get(index) ?? lamportsOf(tx, index)) - wrapped)
    if (post === null || !owners.has(index)) owners.set(index, owner)
  }
  for (const [index, rent] of beyond) {
    const owner = owners.get(index) ?? ''
    if (rent > 0n) add(payers.get(index) ?? payerOf(tx), -rent)
    else if (rent < 0n) add(tx.signers.has(owner) ? owner : payerOf(tx), -rent)
  }
  // Accounts of programs that stay, such as that of a first trade.
  for (const { index, payer, lamports } of tx.created) {
    const isKept = BigInt(tx.pre[index] ?? 0) === 0n && BigInt(tx.post[index] ?? 0) > 0n
    if (isKept && !beyond.has(index)) add(payer, -lamports)
  }
  return rents
}
