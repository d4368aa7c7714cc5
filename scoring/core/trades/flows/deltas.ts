import { sumOf, type Flow, type Trade, type TransactionFacts, type TransferFact } from './facts.ts'

/** Whether a transaction shows net movements of owners, as those of Solana do, instead of single transfers. */
export const hasDeltas = ({ transfers }: TransactionFacts): boolean => transfers.some(({ kind }) => kind === 'delta')

/** The flows of the wallets that may have traded: the payer of the fee, and signers that a swap names. */
export const deltaFlowsOf = (tx: TransactionFacts): Flow[] => netOf(tx, true)

/** The flows of all other owners. */
export const otherDeltaFlowsOf = (tx: TransactionFacts): Flow[] => netOf(tx, false)

/** The flows that are being summed: of the candidates alone, or of all others. */
type Net = { wallets: ReadonlySet<string>; isOfWallets: boolean; flows: Flow[]; byWallet: Map<string, Flow[]> }

/** The net amounts that owners got of each token, in order. Rent and tips are costs, so they are added back. */
function netOf({ sender: payer, swaps, transfers }: TransactionFacts, isOfWallets: boolean): Flow[] {
  const wallets = new Set([payer])
  for (const { trader } of swaps) if (trader !== null) wallets.add(trader)
  const net: Net = { wallets, isOfWallets, flows: [], byWallet: new Map() }
  for (const { kind, token, sender, recipient, amount } of inOrder(transfers)) {
    const isDelta = kind === 'delta'
    addFlow(net, recipient, token, kind === 'tip' ? 0n : isDelta ? amount : -amount)
    addFlow(net, sender, token, isDelta ? -amount : amount)
  }
  return net.flows.filter(({ amount }) => amount !== 0n)
}

function addFlow({ wallets, isOfWallets, flows, byWallet }: Net, wallet: string, token: string, amount: bigint): void {
  if (wallet === '' || wallets.has(wallet) !== isOfWallets) return
  const walletFlows = byWallet.get(wallet)
  const flow = walletFlows?.find((candidate) => candidate.token === token)
  if (flow !== undefined) {
    flow.amount += amount
    return
  }
  const first: Flow = { wallet, seq: -1, token, amount, is_inferred: false, is_bound: false }
  flows.push(first)
  if (walletFlows === undefined) byWallet.set(wallet, [first])
  else walletFlows.push(first)
}

/** Rows that follow from one transaction are in order already. */
const inOrder = (rows: readonly TransferFact[]): readonly TransferFact[] =>
  rows.every(({ log_index }, n) => n === 0 || log_index >= (rows[n - 1]?.log_index ?? 0))
    ? rows
    : rows.toSorted((a, b) => a.log_index - b.log_index)

/**
 * The trades of wallets whose flows are one token down and one up. Native coin that moves beside two tokens is a fee of
 * a service, and no leg. One token alone is an arbitrage if the swaps show that it was both sold and bought.
 */
export function deltaTradesOf(tx: TransactionFacts, flows: readonly Flow[]): Omit<Trade, 'seq'>[] {
  return [...new Set(flows.map(({ wallet }) => wallet))].flatMap((wallet) => {
    const walletFlows = flows.filter((flow) => flow.wallet === wallet)
    const tokens = walletFlows.filter(({ token }) => token !== 'native')
    const [first, second] = tokens.length === 2 ? tokens : walletFlows
    if (first === undefined) return []
    if (second === undefined) return arbitrageOf(tx, first)
    if (walletFlows.length > 2 && tokens.length !== 2) return []
    const [sold, bought] = first.amount < 0n ? [first, second] : [second, first]
    if (sold.amount >= 0n || bought.amount <= 0n) return []
    return {
      wallet,
      kind: 'swap' as const,
      token_sold: sold.token,
      amount_sold: -sold.amount,
      token_bought: bought.token,
      amount_bought: bought.amount,
      is_bound: false,
      is_certain: true,
    }
  })
}

/**
 * A round trip of one token through at least two pools: the amount that they got was sold, and the amount that they
 * gave was bought.
 */
function arbitrageOf({ swaps }: TransactionFacts, { wallet, token, amount }: Flow): Omit<Trade, 'seq'>[] {
  const amount_sold = sumOf(swaps, (swap) => (swap.token0 === token ? (swap.amount0 ?? 0n) : 0n))
  const poolOutput = sumOf(swaps, (swap) => (swap.token1 === token ? -(swap.amount1 ?? 0n) : 0n))
  const amount_bought = amount_sold + amount
  if (amount_sold === 0n || poolOutput === 0n || amount_bought <= 0n) return []
  return [
    {
      wallet,
      kind: 'arbitrage',
      token_sold: token,
      amount_sold,
      token_bought: token,
      amount_bought,
      is_bound: false,
      is_certain: true,
    },
  ]
}
