import { sumOf, type ChainFacts, type SwapFact } from './facts.ts'
import { inOrder, isIn, type Movements, type Span } from './movements.ts'

/** The native coin that pools took (plus) and paid (minus) without a Transfer. */
export function nativeLegs(swaps: readonly SwapFact[], movements: Movements, chain: ChainFacts): bigint[] {
  return swaps.flatMap((swap) => {
    const { pool, amount0, amount1 } = swap
    if (pool === null || amount0 === null || amount1 === null) return []
    const tokens = chain.tokensOf(pool)
    const legs = [
      { amount: amount0, index: swap.coin0_index },
      { amount: amount1, index: swap.coin1_index },
    ]
    if (tokens !== undefined)
      return legs.flatMap(({ amount, index }) => (index !== null && tokens[index] === 'native' ? [amount] : []))
    if (isSingleton(swap)) return isMoved(swap, swaps, movements) ? [] : [amount0]
    if (!swap.family.startsWith('curve')) return []
    // A pool with a contract of its own moves every token by a Transfer, so a leg without one is the native coin.
    const hasTransfer = (isPaidIn: boolean): boolean =>
      movements.tokens.some(({ sender, recipient }) => (isPaidIn ? recipient : sender) === pool)
    return legs.flatMap(({ amount }) => (amount !== 0n && !hasTransfer(amount > 0n) ? [amount] : []))
  })
}

const isSingleton = ({ family }: SwapFact): boolean => family === 'uniswap_v4' || family.startsWith('pancake_infinity')

/**
 * Whether the first coin of a pool of a singleton is a token. The native coin sorts before all tokens, so it can only
 * be the first. A token is moved by a Transfer of that amount, or it goes on to the next pool of the singleton.
 */
function isMoved({ log_index, amount0 }: SwapFact, swaps: readonly SwapFact[], { tokens }: Movements): boolean {
  const amount = amount0 ?? 0n
  const size = amount < 0n ? -amount : amount
  return (
    tokens.some((row) => row.amount === size && row.token !== 'native') ||
    swaps.some(
      (other) =>
        isSingleton(other) && other.log_index !== log_index && (other.amount0 === -amount || other.amount1 === -amount),
    )
  )
}

/** A span of a transaction, and the amounts that a wallet sent and bought in it. */
export type Exchange = {
  swaps: readonly SwapFact[]
  movements: Movements
  chain: ChainFacts
  span: Span
  /** The native coin that the wallet sent with the transaction. */
  value: bigint
  /** The largest amount of a token that the wallet got. */
  bought: bigint
  wallet: string
  /** Whether the called contract keeps nothing of the value. */
  isPlain: boolean
}

/** The native coin that a wallet got back, and whether a router may have kept a part of it. */
export type Inferred = { amount: bigint; isBound: boolean }

/**
 * The amount that a wallet got back in the native coin, if no row shows its movements. Routers keep none of it. The
 * output of unwraps and pools therefore went to the wallet, unless the event of a router names the amount.
 */
export function inferNative(exchange: Exchange): Inferred {
  const { value, isPlain } = exchange
  const { used, paid, swaps } = tallyOf(exchange)
  const named = inOrder(swaps).findLast(
    ({ pool, token1, amount1 }) => pool === null && token1 === 'native' && amount1 !== null,
  )
  if (named?.amount1 !== undefined && named.amount1 !== null && value === 0n)
    return { amount: -named.amount1, isBound: false }
  const rest = value + paid - used
  if (value === 0n) return { amount: rest, isBound: rest !== 0n && !isPlain }
  if (used === 0n) return { amount: rest > value ? paid : 0n, isBound: paid > 0n }
  if (rest <= 0n) return { amount: 0n, isBound: false }
  return { amount: isRefunded(exchange, rest) ? rest : 0n, isBound: !isPlain }
}

type Tallied = Pick<Exchange, 'swaps' | 'movements' | 'chain' | 'span' | 'wallet'>

/** The native coin that was wrapped or went into pools, what came out again, and the swaps of wallets among all. */
export function tallyOf({ swaps: all, movements, chain, span, wallet }: Tallied): {
  used: bigint
  paid: bigint
  swaps: readonly SwapFact[]
} {
  const pools = new Set(all.filter((swap) => isIn(span, swap)).map(({ pool }) => pool))
  const swaps = movements.swaps.filter((swap) => isIn(span, swap))
  // A pool that unwraps what it gets keeps it, and so does the wallet.
  const isKept = (address: string): boolean => address === wallet || pools.has(address)
  const wraps = movements.wraps.filter((row) => isIn(span, row) && !isKept(row.recipient))
  const unwraps = movements.unwraps.filter((row) => isIn(span, row) && !isKept(row.sender))
  const legs = nativeLegs(swaps, movements, chain)
  return {
    used: sumOf(wraps, ({ amount }) => amount) + sumOf(legs, (leg) => (leg > 0n ? leg : 0n)),
    paid: sumOf(unwraps, ({ amount }) => amount) - sumOf(legs, (leg) => (leg < 0n ? leg : 0n)),
    swaps,
  }
}

/**
 * Whether the rest of the value sent comes back. The rest of a sale of an exact amount is the fee of the router, unless it
 * keeps none; the rest of a purchase of an exact amount comes back. The exact amount is the rounder one.
 */
const isRefunded = ({ value, bought, isPlain }: Exchange, rest: bigint): boolean =>
  isPlain || rest > value || zeros(bought) >= zeros(value) + 3 || !isFee(rest, value)

/** Whether the rest of what was sent is small enough for the fee of a router: at most a twentieth. */
export const isFee = (rest: bigint, sent: bigint): boolean => rest * 20n <= sent

/** The number of zeros at the end of an amount. */
const zeros = (amount: bigint): number => /0*$/.exec(amount.toString())?.[0].length ?? 0
