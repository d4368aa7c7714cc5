import { sumOf, type Flow, type Trade, type TransactionFacts, type TransferFact } from './facts.ts'

/** Whether a transaction shows net movements of owners, as those of Solana do, instead of single transfers. */
export const hasDeltas = ({ transfers }: TransactionFacts): boolean => transfers.some(({ kind }) => kind === 'delta')

/** The flows of the wallets that may have traded: the payer of the fee, and signers that a swap names. */
export const deltaFlowsOf = (tx: TransactionFacts): Flow[] => {
  const wallets = new Set([tx.sender, ...takersOf(tx)])
  return netOf(tx).filter(({ wallet }) => wallets.has(wallet))
}

/** The flows of all other owners. */
export const otherDeltaFlowsOf = (tx: TransactionFacts): Flow[] => {
  const wallets = new Set([tx.sender, ...takersOf(tx)])
  return netOf(tx).filter(({ wallet }) => !wallets.has(wallet))
}

const takersOf = ({ swaps }: TransactionFacts): string[] =>
  swaps.map(({ trader }) => trader).filter((trader) => trader !== null)

/** What each owner got of each token, in their order. Rent and tips are costs of the transaction, so they are added back. */
function netOf({ transfers }: TransactionFacts): Flow[] {
  const flows = new Map<string, Flow>()
  const add = (wallet: string, token: string, amount: bigint): void => {
    if (wallet === '') return
    const key = `${wallet} ${token}`
    const flow = flows.get(key) ?? { wallet, seq: -1, token, amount: 0n, is_inferred: false }
    flow.amount += amount
    flows.set(key, flow)
  }
  for (const { kind, token, sender, recipient, amount } of inOrder(transfers)) {
    const sign = kind === 'delta' ? 1n : -1n
    add(recipient, token, kind === 'tip' ? 0n : sign * amount)
    add(sender, token, -sign * amount)
  }
  return [...flows.values()].filter(({ amount }) => amount !== 0n)
}

const inOrder = (rows: readonly TransferFact[]): TransferFact[] => rows.toSorted((a, b) => a.log_index - b.log_index)

/**
 * The trades of wallets whose flows are one token down and one up. Native coin that moves beside two tokens is a fee of
 * a service, and no leg. One token alone is an arbitrage if the swaps show that it was both sold and bought.
 */
export function deltaTradesOf(tx: TransactionFacts, flows: readonly Flow[]): Omit<Trade, 'seq'>[] {
  return [...new Set(flows.map(({ wallet }) => wallet))].flatMap((wallet) => {
    const own = flows.filter((flow) => flow.wallet === wallet)
    const tokens = own.filter(({ token }) => token !== 'native')
    const [first, second] = tokens.length === 2 ? tokens : own
    if (first === undefined) return []
    if (second === undefined) return arbitrageOf(tx, first)
    if (own.length > 2 && tokens.length !== 2) return []
    const [sold, bought] = first.amount < 0n ? [first, second] : [second, first]
    if (sold.amount >= 0n || bought.amount <= 0n) return []
    return {
      wallet,
      kind: 'swap' as const,
      token_sold: sold.token,
      amount_sold: -sold.amount,
      token_bought: bought.token,
      amount_bought: bought.amount,
      is_inferred: false,
    }
  })
}

/** A round trip of one token through at least two pools: what they got of it was sold, and what they gave was bought. */
function arbitrageOf({ swaps }: TransactionFacts, { wallet, token, amount }: Flow): Omit<Trade, 'seq'>[] {
  const amount_sold = sumOf(swaps, (swap) => (swap.token0 === token ? (swap.amount0 ?? 0n) : 0n))
  const given = sumOf(swaps, (swap) => (swap.token1 === token ? -(swap.amount1 ?? 0n) : 0n))
  const amount_bought = amount_sold + amount
  if (amount_sold === 0n || given === 0n || amount_bought <= 0n) return []
  return [
    {
      wallet,
      kind: 'arbitrage',
      token_sold: token,
      amount_sold,
      token_bought: token,
      amount_bought,
      is_inferred: false,
    },
  ]
}
