import { deliveredTrade } from './delivered.ts'
import { deltaTradesOf, hasDeltas } from './deltas.ts'
import { sumOf, type ChainFacts, type Flow, type Trade, type TransactionFacts } from './facts.ts'
import { movementsOf } from './movements.ts'
import { legsOf, type Leg } from './split.ts'

/** A trade before it has its number. */
type Unnumbered = Omit<Trade, 'seq'>

/**
 * The trades of a transaction: each wallet whose net movements are one asset down and one up, if a swap or fill event
 * proves it. A wallet whose other leg goes to another address or chain has a trade too; that leg is also a
 * transfer. A wrap is no trade, since the native coin and its wrapped form are one asset.
 */
export function tradesOf(tx: TransactionFacts, flows: readonly Flow[], chain: ChainFacts): Trade[] {
  if (tx.swaps.length === 0 || !tx.is_ok) return []
  if (hasDeltas(tx)) return numbered(deltaTradesOf(tx, flows))
  const groups = new Map<string, Flow[]>()
  for (const flow of flows) {
    const key = `${flow.wallet} ${flow.seq}`
    groups.set(key, [...(groups.get(key) ?? []), flow])
  }
  const trades = [...groups.values()].flatMap((group) => tradesOfGroup(tx, group, chain))
  const isNamed = flows.some(({ seq }) => seq >= 0)
  return numbered(trades.length > 0 || isNamed ? trades : deliveredTrade(tx, flows, chain))
}

/** The trades of one wallet, from its flows in the transaction, the operation or the order. */
function tradesOfGroup(tx: TransactionFacts, flows: readonly Flow[], chain: ChainFacts): Unnumbered[] {
  const [flow] = flows
  if (flow === undefined) return []
  const is_inferred = flows.some((walletFlow) => walletFlow.is_inferred)
  const legs = legsOf(flows, chain)
  if (legs.length > 0) return legs.map((leg) => ({ wallet: flow.wallet, kind: 'swap', ...leg, is_inferred }))
  const round = flows.length === 1 && flow.amount > 0n ? roundTrip(tx, flow, chain) : undefined
  return round === undefined ? [] : [{ wallet: flow.wallet, kind: 'arbitrage', ...round, is_inferred }]
}

/** A round trip through at least two swaps: more of a token came back than the wallet had paid. */
function roundTrip(tx: TransactionFacts, { wallet, token, amount }: Flow, chain: ChainFacts): Leg | undefined {
  if (tx.swaps.length < 2) return undefined
  const { tokens } = movementsOf(tx, chain)
  const paid = sumOf(tokens, (row) => (row.sender === wallet && row.token === token ? row.amount : 0n))
  const value = token === 'native' && tx.sender === wallet ? tx.amount : 0n
  const amount_sold = paid + value
  if (amount_sold === 0n) return undefined
  return { token_sold: token, amount_sold, token_bought: token, amount_bought: amount_sold + amount }
}

/** Trades with their numbers in those of their wallet. */
function numbered(trades: readonly Unnumbered[]): Trade[] {
  const next = new Map<string, number>()
  return trades.map((trade) => {
    const seq = next.get(trade.wallet) ?? 0
    next.set(trade.wallet, seq + 1)
    return { ...trade, seq }
  })
}
