import { tipAccounts, wrappedSol } from './programs.ts'
import type { SolanaTransaction, TokenAccount } from './transaction.ts'

/** The name of SOL, and of its wrapped form, among tokens. */
export const native = 'native'

/**
 * A net movement of one owner. `delta` is the change of the balance of a token in the transaction, without the fee.
 * `rent` and `tip` are the parts of a delta of SOL that are no trade. `amount` is positive: the owner got it if it
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
 * beyond its wrapped SOL are its rent. The payer at creation gives it, and the owner gets it back at closing.
 */
export function movementsOf(tx: SolanaTransaction): Movement[] {
  const deltas = deltasOf(tx)
  const rows: Movement[] = []
  for (const owner of namesOf(deltas)) {
    const tokens = deltas.get(owner) ?? none
    for (const token of namesOf(tokens)) pushMoved(rows, 'delta', owner, token, tokens.get(token) ?? 0n)
  }
  const rents = rentsOf(tx)
  for (const owner of namesOf(rents)) pushMoved(rows, 'rent', owner, native, rents.get(owner) ?? 0n)
  for (let n = 0; n < tx.keys.length; n++) {
    const key = tx.keys[n] ?? ''
    if (tx.pre[n] === tx.post[n] || !tipAccounts.has(key)) continue
    const tip = lamportsOf(tx, n)
    if (tip > 0n) rows.push({ ...moved('tip', payerOf(tx), native, -tip), other: key })
  }
  return rows
}

const none: ReadonlyMap<string, bigint> = new Map()

/** Nodes may list balances in any order. */
const namesOf = (entries: ReadonlyMap<string, unknown>): string[] => {
  const names = [...entries.keys()]
  return names.length < 2 ? names : names.sort()
}

function pushMoved(rows: Movement[], kind: Movement['kind'], owner: string, token: string, amount: bigint): void {
  if (amount !== 0n) rows.push(moved(kind, owner, token, amount))
}

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

/** The change of the balance of an account in the transaction, in lamports. */
export function lamportsOf({ pre, post }: SolanaTransaction, index: number): bigint {
  const [before, after] = [pre[index] ?? 0, post[index] ?? 0]
  if (before === after) return 0n
  const change = typeof before === 'number' && typeof after === 'number' ? after - before : Number.NaN
  // A difference of safe integers that is a safe one is exact.
  return Number.isSafeInteger(change) ? BigInt(change) : BigInt(after) - BigInt(before)
}

type Deltas = Map<string, Map<string, bigint>>

function addDelta(deltas: Deltas, owner: string, token: string, amount: bigint): void {
  if (amount === 0n) return
  const ownerDeltas = deltas.get(owner)
  if (ownerDeltas === undefined) deltas.set(owner, new Map([[token, amount]]))
  else ownerDeltas.set(token, (ownerDeltas.get(token) ?? 0n) + amount)
}

/** The changes of balances, by owner and token. SOL and its wrapped form count as one token. */
export function deltasOf(tx: SolanaTransaction): Deltas {
  const deltas: Deltas = new Map()
  const { keys, tokens, pre, post, fee } = tx
  const ofTokens = new Set<number>()
  for (const account of tokens) {
    ofTokens.add(account.index)
    addDelta(deltas, account.owner, account.mint === wrappedSol ? native : account.mint, changeOf(account))
  }
  for (let n = 0; n < keys.length; n++) {
    const isPaying = n === 0 && fee !== 0n
    if ((!isPaying && pre[n] === post[n]) || ofTokens.has(n)) continue
    addDelta(deltas, keys[n] ?? '', native, isPaying ? lamportsOf(tx, n) + fee : lamportsOf(tx, n))
  }
  return deltas
}

/** The change of the balance of a token account in the transaction, in raw units. */
export const changeOf = ({ pre, post }: TokenAccount): bigint => (post ?? 0n) - (pre ?? 0n)

/** The rent that each owner got back (plus) or paid (minus). */
function rentsOf(tx: SolanaTransaction): Map<string, bigint> {
  const rents = new Map<string, bigint>()
  const beyond = new Map<number, bigint>()
  const owners = new Map<number, string>()
  for (const account of tx.tokens) {
    const { index, owner, mint, post } = account
    const wrapped = mint === wrappedSol ? changeOf(account) : 0n
    beyond.set(index, (beyond.get(index) ?? lamportsOf(tx, index)) - wrapped)
    if (post === null || !owners.has(index)) owners.set(index, owner)
  }
  for (const [index, rent] of beyond) {
    if (rent === 0n) continue
    const owner = owners.get(index) ?? ''
    const payer = tx.created.findLast((account) => account.index === index)?.payer ?? payerOf(tx)
    addRent(rents, rent > 0n ? payer : tx.signers.has(owner) ? owner : payerOf(tx), -rent)
  }
  // Accounts of programs that stay, such as that of a first trade.
  for (const { index, payer, rent } of tx.created) {
    const isKept = BigInt(tx.pre[index] ?? 0) === 0n && BigInt(tx.post[index] ?? 0) > 0n
    if (isKept && !beyond.has(index)) addRent(rents, payer, -rent)
  }
  return rents
}

function addRent(rents: Map<string, bigint>, owner: string, amount: bigint): void {
  rents.set(owner, (rents.get(owner) ?? 0n) + amount)
}
