import type { Hex } from 'viem'
import { encodeAbiParameters, encodeFunctionData, keccak256 } from 'viem/utils'

import { poolFee, v4Key } from '#sim/evm/chain/swap_calls.ts'
import type { Draft } from '#sim/evm/chain/transaction.ts'
import type { EvmPlan, PlannedToken } from '#sim/evm/types.ts'

import { token as tokenAbi, v2, v3, v4, wrappedCoin } from './abi.ts'
import type { Contracts } from './deploy.ts'
import { rawDollars, rawTokens, rootOf, sqrtPriceX96 } from './price.ts'

/** The price of the native coin at the start, and the dollars on each side of its two pools. */
export const native = { price_usd: 2_500, depth_usd: 8_000_000 } as const
/** All prices, in ticks that the pools of both fees allow. */
const ticks = { tickLower: -887_220, tickUpper: 887_220 } as const
const forever = 2n ** 48n
/** What the team has before it opens the pools: raw dollars, and the raw supply of each token. */
export type Stock = { dollars: bigint; supplyOf: (token: PlannedToken) => bigint }
const plentiful: Stock = { dollars: rawDollars(1_000_000_000), supplyOf: () => 1_000_000_000n * 10n ** 18n }
/** The dollars' worth that the team of a lifelike world keeps of each token, beside its pools, and its other dollars. */
const kept_usd = 60_000

/** The stock of the team of a world. */
export function stockOf({ tokens, isLifelike }: Pick<EvmPlan, 'tokens' | 'isLifelike'>): Stock {
  if (!isLifelike) return plentiful
  const usd = tokens.reduce((sum, token) => sum + (token.launched_s === null ? 2 * token.depth_usd : 0), 0)
  return {
    dollars: rawDollars(2 * native.depth_usd + usd + kept_usd),
    supplyOf: ({ price_usd, depth_usd, hasV4, launched_s }) => {
      const n_pools = launched_s === null ? (hasV4 ? 3 : 2) : 1
      return rawTokens((n_pools * depth_usd + kept_usd) / price_usd)
    },
  }
}

/** The native coins that the team needs to deploy everything and to open all pools, with a rest of some 30. */
export const coinsToOpen = (tokens: readonly PlannedToken[]): number =>
  30 +
  (2 * native.depth_usd) / native.price_usd +
  tokens.reduce((sum, { depth_usd, hasV4, launched_s }) => {
    const isOpened = hasV4 || launched_s !== null
    return sum + (isOpened ? (1.2 * depth_usd) / native.price_usd : 0)
  }, 0)

type Side = { token: Hex; amount: bigint }

/** The transactions of the team that open the pools of the start. Launched tokens get theirs later. */
export function setupDrafts(
  contracts: Contracts,
  team: Hex,
  tokens: readonly (PlannedToken & { address: Hex })[],
  stock: Stock,
): Draft[] {
  const { dollar, wrapped } = contracts
  const send = (to: Hex, data: Hex, value = 0n): Draft => ({ from: team, to, data, value, trades: [], gas: 6_000_000 })
  const coin = { token: wrapped, amount: rawTokens(native.depth_usd / native.price_usd) }
  return [
    send(wrapped, encodeFunctionData({ abi: wrappedCoin, functionName: 'deposit' }), 2n * coin.amount),
    send(dollar, encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args: [team, stock.dollars] })),
    ...tokens.map((token) => {
      const args = [team, stock.supplyOf(token)] as const
      return send(token.address, encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args }))
    }),
    ...[wrapped, dollar, ...tokens.map(({ address }) => address)].flatMap((token) =>
      approvals(contracts, token).map((data) => send(token, data)),
    ),
    ...poolsOf(contracts, team, coin, { token: dollar, amount: rawDollars(native.depth_usd) }, poolFee.wrapped).map(
      (call) => send(...call),
    ),
    ...tokens
      .filter(({ launched_s }) => launched_s === null)
      .flatMap(({ address, price_usd, depth_usd, hasV4 }) => {
        const tokenSide = { token: address, amount: rawTokens(depth_usd / price_usd) }
        const other = { token: dollar, amount: rawDollars(depth_usd) }
        const paired = poolsOf(contracts, team, tokenSide, other, poolFee.token).map((call) => send(...call))
        const inV4 = hasV4 ? v4Pool(contracts, tokenSide, v4Coin(depth_usd)) : []
        return [...paired, ...inV4.map((call) => send(...call))]
      }),
  ]
}

/** The native coin on one side of a pool of V4. */
export const v4Coin = (depth_usd: number): bigint => rawTokens(depth_usd / native.price_usd)

const approvals = ({ v2Router, v3Positions, v4Liquidity }: Contracts, _token: Hex): Hex[] =>
  [v2Router, v3Positions, v4Liquidity].map((spender) =>
    encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, 2n ** 256n - 1n] }),
  )

type Call = readonly [to: Hex, data: Hex, value?: bigint]

/** A pool of V2 and one of V3, with the same amounts in both. */
function poolsOf({ v2Router, v3Positions }: Contracts, team: Hex, a: Side, b: Side, fee: number): Call[] {
  const [first, second] = a.token < b.token ? [a, b] : [b, a]
  const root = sqrtPriceX96(first.amount, second.amount)
  const position = {
    token0: first.token,
    token1: second.token,
    fee,
    // Ticks of the lower fee lie closer, but these are among them.
    ...(fee === poolFee.wrapped ? { tickLower: -887_270, tickUpper: 887_270 } : ticks),
    amount0Desired: first.amount,
    amount1Desired: second.amount,
    amount0Min: 0n,
    amount1Min: 0n,
    recipient: team,
    deadline: forever,
  }
  const both = [a.token, b.token, a.amount, b.amount, 0n, 0n, team, forever] as const
  return [
    [v2Router, encodeFunctionData({ abi: v2, functionName: 'addLiquidity', args: both })],
    [
      v3Positions,
      encodeFunctionData({
        abi: v3,
        functionName: 'createAndInitializePoolIfNecessary',
        args: [first.token, second.token, fee, root],
      }),
    ],
    [v3Positions, encodeFunctionData({ abi: v3, functionName: 'mint', args: [position] })],
  ]
}

/** A pool of V4 between the native coin and a token. */
function v4Pool({ v4Manager, v4Liquidity }: Contracts, { token, amount }: Side, coin: bigint): Call[] {
  const key = v4Key(token)
  const initialize = encodeFunctionData({
    abi: v4,
    functionName: 'initialize',
    args: [key, sqrtPriceX96(coin, amount)],
  })
  const change = { ...ticks, liquidityDelta: rootOf(coin * amount), salt: `0x${'0'.repeat(64)}` } as const
  const add = encodeFunctionData({ abi: v4, functionName: 'modifyLiquidity', args: [key, change, '0x'] })
  return [
    [v4Manager, initialize],
    [v4Liquidity, add, coin + coin / 100n],
  ]
}

/** The id of a pool of V4: the hash of its key. */
export function v4Id(token: Hex): Hex {
  const { currency0, currency1, fee, tickSpacing, hooks } = v4Key(token)
  const types = ['address', 'address', 'uint24', 'int24', 'address'].map((type) => ({ type }))
  return keccak256(encodeAbiParameters(types, [currency0, currency1, fee, tickSpacing, hooks]))
}

/** The call that launches a token: a pool of V2 with the native coin. */
export function launchCall(
  { v2Router }: Contracts,
  team: Hex,
  token: Hex,
  { price_usd, depth_usd }: PlannedToken,
  coin_usd: number,
): Call {
  const coin = rawTokens(depth_usd / coin_usd)
  const args = [token, rawTokens(depth_usd / price_usd), 0n, 0n, team, forever] as const
  return [v2Router, encodeFunctionData({ abi: v2, functionName: 'addLiquidityETH', args }), coin]
}
