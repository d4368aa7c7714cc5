import { calledOf, candidatesOf, receiverOf, type Candidate } from './candidates.ts'
import { deltaFlowsOf, hasDeltas } from './deltas.ts'
import type { ChainFacts, Flow, SwapFact, TransactionFacts, TransferFact } from './facts.ts'
import { countedAs, isIn, movementsOf, type Movements } from './movements.ts'
import { inferNative, type Inferred } from './native.ts'

/** The inputs of the flows of a transaction. */
type Context = { tx: TransactionFacts; chain: ChainFacts; movements: Movements }

/**
 * The net movements of a transaction, for each wallet that may have traded in it. A pure function of the rows of that
 * transaction and of its chain. Amounts are exact raw units; the fee of the transaction is not part of them.
 */
export function flowsOf(tx: TransactionFacts, chain: ChainFacts): Flow[] {
  if (!tx.is_ok) return []
  if (hasDeltas(tx)) return deltaFlowsOf(tx)
  const context = { tx, chain, movements: movementsOf(tx, chain) }
  const candidates = candidatesOf(tx, context.movements)
  const flows = flowsOfAll(context, candidates)
  if (candidates.some(({ seq }) => seq >= 0)) return flows
  const isTraded = isTwoSided(flows)
  // A bot sends its own contract a few units of the native coin with a call.
  const isCallAlone = flows.every(
    ({ wallet, token, amount }) => wallet !== tx.sender || (token === 'native' && amount === -tx.amount),
  )
  const others = [
    // It may fill the order of a wallet that an event names.
    ...(isCallAlone ? calledOf(tx, chain) : []),
    ...(isTraded ? [] : receiverOf(tx, context.movements, chain)),
  ]
  // The native coin that the sender was thought to get went to the other wallet. That of a trade stays there.
  const kept = isTraded ? flows : flows.filter(({ is_inferred }) => !is_inferred)
  const isTaken = kept.some(({ is_inferred }) => is_inferred)
  for (const other of others) {
    if (candidates.some(({ wallet }) => wallet === other.wallet)) continue
    const shown = flowsOfAll(context, [other], isTaken)
    if (isTwoSided(shown) && isTwoSided(withValue(tx, shown))) return [...kept, ...shown]
  }
  return flows
}

/**
 * The flows of a called contract with the native coin that the call sent to it. A wallet paid and got its own tokens
 * without that coin too, so it is no part of the trade; a vault pays for the coin alone. A router has no leg left with it.
 */
function withValue({ recipient, amount }: TransactionFacts, flows: readonly Flow[]): Flow[] {
  const native = flows.find(({ wallet, token }) => wallet === recipient && token === 'native')
  return flows
    .map((flow) => (flow === native ? { ...flow, amount: flow.amount + amount } : flow))
    .filter((flow) => flow.amount !== 0n)
}

/** Whether flows go in both directions. */
export const isTwoSided = (flows: readonly Flow[]): boolean =>
  flows.some(({ amount }) => amount > 0n) && flows.some(({ amount }) => amount < 0n)

/** The flows of candidates. The native coin that no row shows is not inferred if another wallet has it. */
function flowsOfAll(context: Context, candidates: readonly Candidate[], isTaken = false): Flow[] {
  const shown = candidates.map((candidate) => ({ candidate, deltas: deltasOf(context, candidate) }))
  const heir = isTaken ? undefined : heirOf(context, shown)
  return shown.flatMap(({ candidate, deltas }) => {
    const { wallet, seq, order } = candidate
    if (order !== undefined) return orderFlows(context, candidate, order)
    const inferred = seq >= 0 || wallet === heir ? inferredNative(context, candidate, deltas) : none
    if (inferred.amount !== 0n) add(deltas, 'native', inferred.amount)
    return [...deltas]
      .filter(([, amount]) => amount !== 0n)
      .map(([token, amount]) => ({
        wallet,
        seq,
        token,
        amount,
        is_inferred: token === 'native' && inferred.amount !== 0n,
        is_bound: token === 'native' && (inferred.isBound || hasSharedCalls(context, candidate)),
      }))
  })
}

/**
 * The wallet that the native coin which no row shows belongs to: the only one that paid a token and got nothing, or
 * the sender, whose unused coin comes back. Of several that only paid, each may have got it. Nobody else gets some:
 * it may be the fee of a router, or the payment of a maker. A contract wallet that only got something paid for it.
 */
function heirOf({ tx }: Context, shown: readonly { candidate: Candidate; deltas: Deltas }[]): string | undefined {
  const moved = shown.map(({ candidate: { wallet }, deltas }) => ({
    wallet,
    amounts: [...deltas].filter(([, amount]) => amount !== 0n),
  }))
  const payers = moved.filter(
    ({ amounts }) => amounts.every(([, amount]) => amount < 0n) && amounts.some(([token]) => token !== 'native'),
  )
  if (payers.length > 0) return payers.length === 1 ? payers[0]?.wallet : undefined
  const movers = moved.filter(({ amounts }) => amounts.length > 0)
  return (movers.find(({ wallet }) => tx.amount > 0n && wallet === tx.sender) ?? movers[0])?.wallet
}

type Deltas = Map<string, bigint>
const none: Inferred = { amount: 0n, isBound: false }
const add = (deltas: Deltas, token: string, amount: bigint): unknown =>
  deltas.set(token, (deltas.get(token) ?? 0n) + amount)

/** The native coin that a candidate sent with the transaction. An operation sends none. */
const valueOf = (tx: TransactionFacts, { wallet, seq }: Pick<Candidate, 'wallet' | 'seq'>): bigint =>
  seq < 0 && tx.sender === wallet ? tx.amount : 0n

/** The movements of a candidate that rows show, added up by token. */
function deltasOf(context: Context, candidate: Candidate): Deltas {
  const { tokens, internals, areShown } = context.movements
  const { wallet, span } = candidate
  const deltas: Deltas = new Map()
  // An account prepays its operation to the entry point, which the transaction calls.
  const isFee = (row: TransferFact): boolean =>
    candidate.seq >= 0 && row.kind === 'internal' && row.recipient === context.tx.recipient
  // A wallet that wraps its own coin has as much as before. Where rows show movements of the coin, and of the value sent,
  // they show what it paid for the wrap.
  const isUnpaid = !areShown && valueOf(context.tx, candidate) === 0n
  const isOwnWrap = ({ sender, recipient }: TransferFact): boolean => isUnpaid && (sender === '' || recipient === '')
  const isIncluded = (row: TransferFact): boolean =>
    isCall(row) ? isLastOperation(context.tx, candidate) : isIn(span, row)
  for (const row of [...tokens, ...internals]) {
    if (!isIncluded(row) || isFee(row) || isOwnWrap(row)) continue
    if (row.sender === wallet) add(deltas, row.token, -row.amount)
    if (row.recipient === wallet) add(deltas, row.token, row.amount)
  }
  // Logs of the native coin show the value sent too; traces do not.
  if (!internals.some(({ log_index }) => log_index >= 0)) add(deltas, 'native', -valueOf(context.tx, candidate))
  return deltas
}

/** Whether a movement was shown by a trace. Calls have no place among the logs. */
const isCall = ({ log_index }: TransferFact): boolean => log_index < 0

/** The calls of an account with several operations count in the last one, since none names its operation. */
const isLastOperation = ({ operations }: TransactionFacts, { wallet, seq }: Candidate): boolean =>
  seq < 0 || !operations.some(({ sender, log_index }) => sender === wallet && log_index > seq)

/** Whether calls of an account may be of another one of its operations. */
const hasSharedCalls = ({ tx, movements }: Context, { wallet, seq }: Candidate): boolean =>
  seq >= 0 &&
  tx.operations.filter(({ sender }) => sender === wallet).length > 1 &&
  movements.internals.some((row) => isCall(row) && (row.sender === wallet || row.recipient === wallet))

/**
 * The native coin that a candidate got without a row that shows it: none if rows show its movements. Only a wallet
 * that paid a token and got nothing sold it for the coin. Another one gets at most what it sent with the transaction.
 */
function inferredNative({ tx, movements, chain }: Context, { wallet, seq, span }: Candidate, deltas: Deltas): Inferred {
  const amounts = [...deltas].filter(([, amount]) => amount !== 0n)
  if (movements.areShown || amounts.length === 0) return none
  const bought = amounts.reduce((most, [, amount]) => (amount > most ? amount : most), 0n)
  const value = valueOf(tx, { wallet, seq })
  const isPlain = chain.isPlain(tx.recipient ?? '')
  const inferred = inferNative({ swaps: tx.swaps, movements, chain, span, value, bought, wallet, isPlain })
  const isSeller = bought === 0n && amounts.some(([token]) => token !== 'native')
  if (inferred.amount > value && !isSeller) return value === 0n ? none : { ...inferred, amount: value }
  // A contract wallet pays from its own native coin. The sender's is the value sent.
  return inferred.amount < 0n && wallet === tx.sender ? none : inferred
}

const shownByEvent = { is_inferred: false, is_bound: false }

/** The flows of a settled order, which its event names. */
function orderFlows({ movements, chain }: Context, { wallet, seq }: Candidate, order: SwapFact): Flow[] {
  const { token0, token1, amount0, amount1 } = order
  if (token0 === null || token1 === null || amount0 === null || amount1 === null) return []
  return [
    { wallet, seq, token: countedAs(token0, movements, chain), amount: -amount0, ...shownByEvent },
    { wallet, seq, token: countedAs(token1, movements, chain), amount: -amount1, ...shownByEvent },
  ]
}
