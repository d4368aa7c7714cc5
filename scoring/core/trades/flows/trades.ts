import { spanOf } from './candidates.ts'
import { deliveredTrade } from './delivered.ts'
import { deltaTradesOf, hasDeltas } from './deltas.ts'
import { exchangeByEvent, exchangeByMovement, isOfShare, type Exchange } from './exchange.ts'
import { exchangersOf, rowsIn } from './exchangers.ts'
import { sumOf, type ChainFacts, type Flow, type Leg, type Trade, type TransactionFacts } from './facts.ts'
import { isIn, movementsOf } from './movements.ts'
import { isTwoSided } from './net_flows.ts'
import { legsOf } from './split.ts'

/** A trade before it has its number. */
type Unnumbered = Omit<Trade, 'seq'>

/**
 * The trades of a transaction: each wallet whose net movements are one asset down and one up, by an exchange. A wallet
 * whose other leg goes to another address or chain has a trade too; that leg is also a transfer. A wrap is no trade,
 * since the native coin and its wrapped form are one asset.
 */
export function tradesOf(tx: TransactionFacts, flows: readonly Flow[], chain: ChainFacts): Trade[] {
  if (!tx.is_ok) return []
  if (hasDeltas(tx)) return tx.swaps.length === 0 ? [] : numbered(deltaTradesOf(tx, flows))
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
  const { wallet } = flow
  const is_bound = flows.some((walletFlow) => walletFlow.is_bound)
  if (isTwoSided(flows)) {
    const { legs, exchange } = exchangeOf(tx, flows, chain)
    if (exchange === 'none') return []
    return legs.map((leg) => ({ wallet, kind: 'swap', ...leg, is_bound, is_certain: exchange === 'certain' }))
  }
  // A profit in the coin that no row shows may be the fee of a router or the payment of a maker.
  const isRound = flows.length === 1 && flow.amount > 0n && !flow.is_inferred
  const round = isRound ? roundTrip(tx, flow, chain) : undefined
  return round === undefined ? [] : [{ wallet, kind: 'arbitrage', ...round, is_bound, is_certain: true }]
}

/** The legs of flows in both directions, and whether they are an exchange. */
function exchangeOf(
  tx: TransactionFacts,
  flows: readonly Flow[],
  chain: ChainFacts,
): { legs: Leg[]; exchange: Exchange } {
  const { wallet, seq } = flows[0] ?? { wallet: '', seq: -1 }
  const span = spanOf(tx, seq)
  const hasEvent = tx.swaps.some((swap) => isIn(span, swap))
  // Most trades are two flows beside an event, no share comes or goes, and nothing larger than the bought asset moves.
  const isLarger = flows.some(({ token, amount }) =>
    tx.transfers.some((row) => amount > 0n && row.token === token && row.amount > 2n * amount),
  )
  if (hasEvent && flows.length === 2 && !isLarger && !tx.transfers.some(isOfShare))
    return { legs: legsOf(flows, chain, []), exchange: 'certain' }
  const rows = rowsIn(span, tx, movementsOf(tx, chain))
  const exchangers = exchangersOf(rows, wallet)
  const legs = legsOf(flows, chain, exchangers)
  const exchanged = { tx, chain, wallet, legs, rows, exchangers }
  if (hasEvent) return { legs, exchange: exchangeByEvent(exchanged) }
  // Without an event, only a call or an operation shows that a wallet wanted the exchange.
  const isCaller = wallet === tx.sender || seq >= 0
  return { legs, exchange: isCaller ? exchangeByMovement(exchanged) : 'none' }
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
