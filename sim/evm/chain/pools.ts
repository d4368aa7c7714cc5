import type { Hex } from 'viem'
import { decodeAbiParameters, decodeEventLog, encodeEventTopics } from 'viem/utils'

import { v2, v3, v4 } from '#sim/evm/contracts/abi.ts'
import type { PoolSwap, Venue } from '#sim/evm/types.ts'

import { setIn, type History } from './block_changes.ts'
import type { Log } from './transaction.ts'

/** A pool of two assets. The native coin of V4 and the wrapped coin of the others are both `native`. */
export type Pool = {
  venue: Venue
  /** The contract; in V4 the hash of its key. */
  id: string
  /** Addresses or `native`, in the order of the pool. */
  token0: string
  token1: string
  /** Millionths. */
  fee: number
}

/** The effective reserves of a pool: in V3 and V4 the amounts of its current liquidity over all prices. */
export type Reserves = { reserve0: bigint; reserve1: bigint }

const topicOf = {
  sync: encodeEventTopics({ abi: v2, eventName: 'Sync' })[0],
  v2: encodeEventTopics({ abi: v2, eventName: 'Swap' })[0],
  v3: encodeEventTopics({ abi: v3, eventName: 'Swap' })[0],
  v4: encodeEventTopics({ abi: v4, eventName: 'Swap' })[0],
  v2Created: encodeEventTopics({ abi: v2, eventName: 'PairCreated' })[0],
  v3Created: encodeEventTopics({ abi: v3, eventName: 'PoolCreated' })[0],
  v3Mint: encodeEventTopics({ abi: v3, eventName: 'Mint' })[0],
}

/** The pools of a world, and their reserves as the logs of its blocks state them. */
export type Pools = {
  add: (block: number, pool: Pool, reserves: Reserves) => void
  find: (venue: Venue, a: string, b: string) => Pool | undefined
  reservesOf: (pool: Pool) => Reserves
  /** Reads a log: it sets reserves, and is the swap of a pool or none. */
  read: (
    block: number,
    log: Log,
  ) => Pick<PoolSwap, 'pool' | 'token_in' | 'amount_in' | 'token_out' | 'amount_out'> | undefined
}

export function createPools(history: History, wrapped: Hex): Pools {
  const pools = new Map<string, Pool>()
  const reserves = new Map<string, Reserves>()
  const add: Pools['add'] = (block, pool, at) => {
    setIn(history, block, pools, pool.id, pool)
    setIn(history, block, reserves, pool.id, at)
  }
  return {
    add,
    find: (venue, a, b) =>
      [...pools.values()].find(
        ({ venue: poolVenue, token0, token1 }) =>
          poolVenue === venue && ((token0 === a && token1 === b) || (token0 === b && token1 === a)),
      ),
    reservesOf: ({ id }) => {
      const poolReserves = reserves.get(id)
      if (poolReserves === undefined) throw new Error(`${id}: unknown pool; expected one of the world`)
      return poolReserves
    },
    read: (block, log) => {
      const [topic] = log.topics
      const created = createdBy(log, wrapped)
      if (created !== undefined) add(block, created, { reserve0: 0n, reserve1: 0n })
      const id = topic === topicOf.v4 ? (log.topics[1] ?? '') : log.address
      const pool = pools.get(id)
      if (pool === undefined) return undefined
      const after = reservesAfter(log)
      if (after !== undefined) setIn(history, block, reserves, id, after)
      const paid = paidIn(log)
      return paid === undefined ? undefined : swapOf(pool, paid)
    },
  }
}

/** The pool that a factory's log announces. */
function createdBy(log: Log, wrapped: Hex): Pool | undefined {
  const named = (token: Hex): string => (token.toLowerCase() === wrapped ? 'native' : token.toLowerCase())
  if (log.topics[0] === topicOf.v2Created) {
    const { token0, token1, pair } = decodeEventLog({ abi: v2, eventName: 'PairCreated', ...log }).args
    return { venue: 'v2', id: pair.toLowerCase(), token0: named(token0), token1: named(token1), fee: 3_000 }
  }
  if (log.topics[0] !== topicOf.v3Created) return undefined
  const { token0, token1, pool, fee } = decodeEventLog({ abi: v3, eventName: 'PoolCreated', ...log }).args
  return { venue: 'v3', id: pool.toLowerCase(), token0: named(token0), token1: named(token1), fee }
}

const whole = 1n << 96n

function reservesAfter(log: Log): Reserves | undefined {
  const [topic] = log.topics
  if (topic === topicOf.sync) {
    const [reserve0, reserve1] = decodeAbiParameters([{ type: 'uint112' }, { type: 'uint112' }], log.data)
    return { reserve0, reserve1 }
  }
  if (topic === topicOf.v3Mint) {
    // The only liquidity of a pool here, over all prices.
    const { amount0, amount1 } = decodeEventLog({ abi: v3, eventName: 'Mint', ...log }).args
    return { reserve0: amount0, reserve1: amount1 }
  }
  if (topic !== topicOf.v3 && topic !== topicOf.v4) return undefined
  const { args } = decodeEventLog({ abi: topic === topicOf.v3 ? v3 : v4, eventName: 'Swap', ...log })
  return reservesAt(args.liquidity, args.sqrtPriceX96)
}

/** The amounts that a liquidity is worth over all prices, at a price. */
export const reservesAt = (liquidity: bigint, sqrtPriceX96: bigint): Reserves => ({
  reserve0: (liquidity * whole) / sqrtPriceX96,
  reserve1: (liquidity * sqrtPriceX96) / whole,
})

/** The amounts of both tokens that a swap paid into its pool; an amount that it took out is negative. */
function paidIn(log: Log): readonly [bigint, bigint] | undefined {
  const [topic] = log.topics
  if (topic === topicOf.v2) {
    const { args } = decodeEventLog({ abi: v2, eventName: 'Swap', ...log })
    return [args.amount0In - args.amount0Out, args.amount1In - args.amount1Out]
  }
  if (topic === topicOf.v3) {
    const { args } = decodeEventLog({ abi: v3, eventName: 'Swap', ...log })
    return [args.amount0, args.amount1]
  }
  if (topic !== topicOf.v4) return undefined
  const { args } = decodeEventLog({ abi: v4, eventName: 'Swap', ...log })
  return [-args.amount0, -args.amount1]
}

function swapOf({ id, token0, token1 }: Pool, [amount0, amount1]: readonly [bigint, bigint]) {
  return amount0 > 0n
    ? { pool: id, token_in: token0, amount_in: amount0, token_out: token1, amount_out: -amount1 }
    : { pool: id, token_in: token1, amount_in: amount1, token_out: token0, amount_out: -amount0 }
}
