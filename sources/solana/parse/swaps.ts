import { changeOf, deltasOf, lamportsOf, native, payerOf } from './movements.ts'
import { dexPrograms, wrappedSol } from './programs.ts'
import type { Call, SolanaTransaction, TokenAccount } from './transaction.ts'

/**
 * A call of a program that trades. `pool`: its pool; null for an aggregator. `paid` and `received`: the amounts that the
 * transaction paid to the pool and received from it; null unless the movements of its vaults show both. `trader`: a
 * signer who got one token and gave another, and did not pay the fee.
 */
export type SwapCall = {
  family: string
  pool: string | null
  paid: Leg | null
  received: Leg | null
  trader: string | null
}
type Leg = { token: string; amount: bigint }
type Legs = { paid: Leg; received: Leg }

/**
 * The calls of programs that trade, in the order of the transaction: top-level calls, then inner ones. A transaction
 * that gives or takes the NFT of a position changes liquidity, and has none.
 */
export function swapCallsOf(tx: SolanaTransaction): SwapCall[] {
  // A program that logs an event calls itself with one account.
  const calls = tx.calls.filter(({ program, accounts }) => dexPrograms.has(program) && accounts.length > 1)
  if (calls.length === 0 || tx.tokens.some((account) => isPosition(tx, account))) return []
  const trader = traderOf(tx)
  // The vaults of a pool show the sum of its calls, which counts once.
  const seen = new Set<string>()
  return calls.flatMap((call) => {
    const program = dexPrograms.get(call.program)
    if (program === undefined) return []
    const { family } = program
    if (program.pool === null) return { family, pool: null, paid: null, received: null, trader }
    const vaults = vaultsOf(tx, call)
    const legs = legsOf(tx, call, vaults)
    const owner = legs?.owner ?? vaults[0]?.owner ?? call.program
    const pool = program.pool === 'owner' ? owner : (tx.keys[call.accounts[program.pool] ?? -1] ?? owner)
    const isNew = !seen.has(pool)
    if (legs !== null) seen.add(pool)
    const { paid, received } = (isNew ? legs : null) ?? { paid: null, received: null }
    return { family, pool, paid, received, trader }
  })
}

const isPosition = ({ signers }: SolanaTransaction, { decimals, owner, pre, post }: TokenAccount): boolean =>
  decimals === 0 && signers.has(owner) && (pre ?? 0n) + (post ?? 0n) === 1n

function traderOf(tx: SolanaTransaction): string | null {
  if (tx.signers.size < 2) return null
  const deltas = deltasOf(tx)
  const others = [...tx.signers].filter((signer) => signer !== payerOf(tx))
  return (
    others.find((signer) => {
      const amounts = [...(deltas.get(signer)?.values() ?? [])]
      return amounts.some((amount) => amount > 0n) && amounts.some((amount) => amount < 0n)
    }) ?? null
  )
}

type Vault = { owner: string; token: string; amount: bigint }

/** The token accounts of a call that no signer owns, with the amounts that they got. */
function vaultsOf({ tokens, signers }: SolanaTransaction, { accounts }: Call): Vault[] {
  const vaults: Vault[] = []
  for (const account of tokens) {
    const { index, owner, mint } = account
    const amount = changeOf(account)
    if (amount === 0n || !accounts.includes(index) || signers.has(owner)) continue
    vaults.push({ owner, token: mint === wrappedSol ? native : mint, amount })
  }
  return vaults
}

/** The two legs of a pool: by the owner of its vaults, else by all vaults of the call. Null if neither has both. */
function legsOf(
  tx: SolanaTransaction,
  { accounts }: Call,
  vaults: readonly Vault[],
): (Legs & { owner: string }) | null {
  const owners = new Set<string>()
  for (const { owner } of vaults) owners.add(owner)
  for (const owner of owners) {
    const ownerVaults = owners.size === 1 ? vaults : vaults.filter((vault) => vault.owner === owner)
    const legs = pairOf(ownerVaults) ?? pairOf(withLamports(ownerVaults, tx, owner, accounts))
    if (legs !== null) return { paid: legs.paid, received: legs.received, owner }
  }
  const legs = pairOf(vaults)
  return legs === null ? null : { paid: legs.paid, received: legs.received, owner: vaults[0]?.owner ?? '' }
}

/**
 * Vaults with the lamports that their owner holds itself, as a curve of Pump.fun does, without the rent of a new one.
 */
function withLamports(
  vaults: readonly Vault[],
  tx: SolanaTransaction,
  owner: string,
  accounts: readonly number[],
): readonly Vault[] {
  const index = tx.keys.indexOf(owner)
  if (!accounts.includes(index)) return vaults
  const rent = tx.created.find((account) => account.index === index && BigInt(tx.pre[index] ?? 0) === 0n)?.rent ?? 0n
  const amount = lamportsOf(tx, index) - rent
  return amount === 0n ? vaults : [...vaults, { owner: tx.keys[index] ?? '', token: native, amount }]
}

/** One token up and one down; null otherwise. */
function pairOf(vaults: readonly Vault[]): Legs | null {
  const sums = new Map<string, bigint>()
  for (const { token, amount } of vaults) sums.set(token, (sums.get(token) ?? 0n) + amount)
  let [paid, received]: [Leg | null, Leg | null] = [null, null]
  for (const [token, amount] of sums) {
    if (amount > 0n && paid === null) paid = { token, amount }
    else if (amount < 0n && received === null) received = { token, amount }
    else if (amount !== 0n) return null
  }
  return paid === null || received === null ? null : { paid, received }
}
