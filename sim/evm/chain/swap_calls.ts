import type { Hex } from 'viem'
import { encodeFunctionData } from 'viem/utils'

import { aggregator, v2, v3, v4 } from '#sim/evm/contracts/abi.ts'
import type { Contracts } from '#sim/evm/contracts/deploy.ts'
import type { Route } from '#sim/evm/types.ts'

/** A call that a wallet makes, and the contract that takes its tokens. */
export type SwapCall = { to: Hex; spender: Hex; data: Hex; value: bigint }

/** A swap of an exact amount. `native` is the coin itself; other assets are addresses of tokens. */
export type SwapOrder = {
  route: Route
  from: Hex | 'native'
  to: Hex | 'native'
  amount: bigint
  recipient: Hex
  /** The least that it accepts, in raw units. */
  least?: bigint
  /** The path of V2 goes through the dollar, since the two have no pool of their own. */
  isThroughDollar?: boolean
}

const forever = 2n ** 48n
const zero = '0x0000000000000000000000000000000000000000'
/** Fees of the pools of V3 and V4, in millionths. */
export const poolFee = { wrapped: 500, token: 3_000 } as const
/** The prices at which a swap of V4 stops: beyond all others. */
const limits = { lowest: 4295128740n, highest: 1461446703485210103287273052203988822378723970341n }

/** The call of a swap through its router. */
export function swapCall(contracts: Contracts, order: SwapOrder): SwapCall {
  if (order.route === 'v2') return v2Call(contracts, order)
  if (order.route === 'v3') return v3Call(contracts, order)
  if (order.route === 'v4') return v4Call(contracts, order)
  return splitCall(contracts, order)
}

function v2Call({ v2Router, wrapped, dollar }: Contracts, order: SwapOrder): SwapCall {
  const { from, to, amount, recipient, least = 0n, isThroughDollar = false } = order
  const tokenOf = (asset: Hex | 'native'): Hex => (asset === 'native' ? wrapped : asset)
  const path = [tokenOf(from), ...(isThroughDollar ? [dollar] : []), tokenOf(to)]
  const call = { to: v2Router, spender: v2Router }
  if (from === 'native') {
    const data = encodeFunctionData({
      abi: v2,
      functionName: 'swapExactETHForTokens',
      args: [least, path, recipient, forever],
    })
    return { ...call, data, value: amount }
  }
  const functionName = to === 'native' ? 'swapExactTokensForETH' : 'swapExactTokensForTokens'
  const data = encodeFunctionData({ abi: v2, functionName, args: [amount, least, path, recipient, forever] })
  return { ...call, data, value: 0n }
}

function v3Call({ v3Router, wrapped }: Contracts, { from, to, amount, recipient, least = 0n }: SwapOrder): SwapCall {
  const isNative = from === 'native' || to === 'native'
  const params = {
    tokenIn: from === 'native' ? wrapped : from,
    tokenOut: to === 'native' ? wrapped : to,
    fee: isNative ? poolFee.wrapped : poolFee.token,
    // The router itself, which then unwraps.
    recipient: to === 'native' ? zero : recipient,
    deadline: forever,
    amountIn: amount,
    amountOutMinimum: least,
    sqrtPriceLimitX96: 0n,
  } as const
  const swap = encodeFunctionData({ abi: v3, functionName: 'exactInputSingle', args: [params] })
  const call = { to: v3Router, spender: v3Router, value: from === 'native' ? amount : 0n }
  if (to !== 'native') return { ...call, data: swap }
  const unwrap = encodeFunctionData({ abi: v3, functionName: 'unwrapWETH9', args: [0n, recipient] })
  return { ...call, data: encodeFunctionData({ abi: v3, functionName: 'multicall', args: [[swap, unwrap]] }) }
}

/** The native coin is the first token of each pool of V4 here. */
function v4Call({ v4Router }: Contracts, { from, to, amount }: SwapOrder): SwapCall {
  const isBuy = from === 'native'
  const token = isBuy ? to : from
  if (token === 'native') throw new Error('v4: both assets are native; expected one token')
  const params = {
    zeroForOne: isBuy,
    amountSpecified: -amount,
    sqrtPriceLimitX96: isBuy ? limits.lowest : limits.highest,
  }
  const settings = { takeClaims: false, settleUsingBurn: false }
  const args = [v4Key(token), params, settings, '0x'] as const
  const data = encodeFunctionData({ abi: v4, functionName: 'swap', args })
  return { to: v4Router, spender: v4Router, data, value: isBuy ? amount : 0n }
}

export const v4Key = (token: Hex) =>
  ({ currency0: zero, currency1: token, fee: poolFee.token, tickSpacing: 60, hooks: zero }) as const

/** Half through V2, then all that is left through V3. */
function splitCall({ aggregator: to }: Contracts, order: SwapOrder): SwapCall {
  const { from: tokenIn, to: tokenOut, amount, least = 0n } = order
  if (tokenIn === 'native' || tokenOut === 'native') throw new Error('split: a native asset; expected two tokens')
  const hops = [
    { fee: 0, tokenIn, tokenOut, share: 5_000n },
    { fee: poolFee.token, tokenIn, tokenOut, share: 10_000n },
  ]
  return { to, spender: to, data: aggregatorData(tokenIn, amount, tokenOut, least, hops), value: 0n }
}

export type Hop = { fee: number; tokenIn: Hex; tokenOut: Hex; share: bigint }
export const aggregatorData = (from: Hex, amount: bigint, to: Hex, least: bigint, hops: readonly Hop[]): Hex =>
  encodeFunctionData({ abi: aggregator, functionName: 'swap', args: [from, amount, to, least, hops] })
