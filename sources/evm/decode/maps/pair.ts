import type { Fields } from '#sources/evm/decode/event/decoder.ts'
import { constant } from '#sources/evm/decode/event/fields.ts'
import { viewCall } from '#sources/evm/rpc/abi.ts'

/** A pool of two coins that is a contract, and whose events number them 0 and 1. */
export const pair: Fields<'swaps'> = { pool: 'this', coin0_index: constant(0), coin1_index: constant(1) }

/** The views of most such pools. */
export const pairViews = [[viewCall('token0()'), viewCall('token1()')]]

/**
 * The creation of a pool that is a contract. Any contract can emit it, so the row is a claim: it counts if the pool's
 * own `factory()` names the contract that emitted it.
 */
export const creation: Fields<'pools'> = { pool: 'pool', tokens: ['token0', 'token1'], factory: 'this' }
