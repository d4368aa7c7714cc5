import { deltasOf, native, payerOf } from './movements.ts'
import { dexPrograms, wrappedSol } from './programs.ts'
import type { Call, SolanaTransaction, TokenAccount } from './transaction.ts'

/**
 * A call of a program that trades. `pool`: its pool; null for an aggregator. `paid` and `given`: what the pool got and
 * gave in the transaction; null unless the movements of its vaults show both. `trader`: a signer who got one token and
 * gave another, and did not pay the fee.
 */
export type SwapCall = {
  family: string
  pool: string | null
  paid: Leg | null
  given: Leg | null
  trader: string | null
}
type Leg = { token: string; amount: bigint }
type Legs = { paid: Leg; given: Leg }

/**
 * The calls of programs that trade, in the order of the transaction: top-level calls, then inner ones. A transaction that
 * gives or takes the NFT of a position changes liquidity, and has none.
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
    if (program.pool === null) return { family, pool: null, paid: null, given: null, trader }
    const vaults = vaultsOf(tx, call)
    const legs = legsOf(tx, call, vaults)
    const owner = legs?.owner ?? vaults[0]?.owner ?? call.program
    const pool = program.pool === 'owner' ? owner : (tx.keys[call.accounts[program.pool] ?? -1] ?? owner)
    const isNew = !seen.has(pool)
    if (legs !== null) seen.add(pool)
    const { paid, given } = (isNew ? legs : null) ?? { paid: null, given: null }
    return { family, pool, paid, given, trader }
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

/** The token accounts of a call that no signer owns, with what they got. */
function vaultsOf({ tokens, signers }: SolanaTransaction, { accounts }: Call): Vault[] {
  const used = new Set(accounts)
  return tokens.flatMap(({ index, owner, mint, pre, post }) => {
    const amount = (post ?? 0n) - (pre ?? 0n)
    if (amount === 0n || signers.has(owner) || !used.has(index)) return []
    return { owner, token: mint === wrappedSol ? native : mint, amount }
  })
}

/** What a pool got and gave: by the owner of its vaults, else by all vaults of the call. */
function legsOf(
  tx: SolanaTransaction,
  { accounts }: Call,
  vaults: readonly Vault[],
): (Legs & { owner: string }) | null {
  for (const owner of new Set(vaults.map((vault) => vault.owner))) {
    const own = vaults.filter((vault) => vault.owner === owner)
    const index = tx.keys.indexOf(owner)
    const legs = pairOf(own) ?? pairOf([...own, ...(accounts.includes(index) ? lamportsAt(tx, index) : [])])
    if (legs !== null) return { ...legs, owner }
  }
  const legs = pairOf(vaults)
  return legs === null ? null : { ...legs, owner: vaults[0]?.owner ?? '' }
}

/** The lamports that the owner of a vault holds itself, as a curve of Pump.fun does, without the rent of a new one. */
function lamportsAt({ pre, post, created, keys }: SolanaTransaction, index: number): Vault[] {
  const rent = created.find((one) => one.index === index && BigInt(pre[index] ?? 0) === 0n)?.lamports ?? 0n
  const amount = BigInt(post[index] ?? 0) - BigInt(pre[index] ?? 0) - rent
  return amount === 0n ? [] : [{ owner: keys[index] ?? '', token: native, amount }]
}

/** One token up and one down; null otherwise. */
function pairOf(vaults: readonly Vault[]): Legs | null {
  const sums = new Map<string, bigint>()
  for (const { token, amount } of vaults) sums.set(token, (sums.get(token) ?? 0n) + amount)
  const moved = [...sums].filter(([, amount]) => amount !== 0n)
  const up = moved.find(([, amount]) => amount > 0n)
  const down = moved.find(([, amount]) => amount < 0n)
  if (moved.length !== 2 || up === undefined || down === undefined) return null
  return { paid: { token: up[0], amount: up[1] }, given: { token: down[0], amount: down[1] } }
}
