import type { Hex } from 'viem'
import { decodeFunctionData, encodeFunctionResult, parseAbi } from 'viem/utils'

import { holdingOf } from './holdings.ts'
import { dollarOf, tokensOf, type SimulatedChain } from './simulated_chain.ts'
import { router } from './wire.ts'

/** The contract that answers many calls at once, at its address on most chains. */
const multicall3 = '0xca11bde05977b3631167028862be2a173976ca11'
const multicallAbi = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) returns ((bool success, bytes returnData)[])',
])

/** The first bytes of a call, by the view that it asks. */
const selectors = {
  aggregate: '0x82ad56cb',
  coinOf: '0x4d2301cc',
  balanceOf: '0x70a08231',
  token0: '0x0dfe1681',
  token1: '0xd21220a7',
  decimals: '0x313ce567',
  symbol: '0x95d89b41',
}

/** The newest block, and the block after which a call is made. */
export type At = { head: number; block: number }

/**
 * The output of a call after a block: the views of pools and tokens, and those of Multicall3. Undefined for other
 * contracts and views, which revert.
 */
export function viewOf(chain: SimulatedChain, at: At, to: string, data: string): Hex | undefined {
  const selector = data.slice(0, 10)
  if (to === multicall3 && selector === selectors.aggregate) return aggregate(chain, at, data as Hex)
  const dollar = { address: dollarOf(chain), symbol: chain.listings === undefined ? 'USDS' : 'USDC', decimals: 6 }
  const tokens = tokensOf(chain)
  const traded = tokens.find(({ pools }) => pools.v2 === to || pools.v3 === to)
  const pair = traded === undefined ? [] : [traded.address, dollar.address].toSorted()
  const token = [dollar, ...tokens].find(({ address }) => address === to)
  const wallet = `0x${data.slice(34, 74)}`
  const held = (asset: string): string => word(holdingOf(chain, at.head, { wallet, token: asset, block: at.block }))
  const views: Record<string, () => string | undefined> = {
    [selectors.coinOf]: () => (to === multicall3 ? held('native') : undefined),
    [selectors.balanceOf]: () => token && held(token.address),
    [selectors.token0]: () => pair[0]?.slice(2).padStart(64, '0'),
    [selectors.token1]: () => pair[1]?.slice(2).padStart(64, '0'),
    [selectors.decimals]: () => token && word(BigInt(token.decimals)),
    [selectors.symbol]: () => token && textWords(token.symbol),
  }
  const output = views[selector]?.()
  return output === undefined ? undefined : `0x${output}`
}

/** The code of an address: that of a contract ends with its own address, so no two are alike. Wallets have none. */
export function codeOf(chain: SimulatedChain, address: string): Hex {
  const ofTokens = tokensOf(chain).flatMap(({ address: token, pools }) => [token, pools.v2, pools.v3])
  const contracts = [router, multicall3, dollarOf(chain), ...ofTokens]
  return contracts.includes(address) ? `0x6080604052${address.slice(2)}` : '0x'
}

function aggregate(chain: SimulatedChain, at: At, data: Hex): Hex {
  const { args } = decodeFunctionData({ abi: multicallAbi, data })
  const results = args[0].map(({ target, callData }) => {
    const output = viewOf(chain, at, target.toLowerCase(), callData)
    return { success: output !== undefined, returnData: output ?? ('0x' as const) }
  })
  return encodeFunctionResult({ abi: multicallAbi, result: results })
}

const word = (value: bigint): string => value.toString(16).padStart(64, '0')

/** A text of at most 32 bytes, encoded as the result of a call. */
const textWords = (text: string): string =>
  [32n, BigInt(text.length)].map(word).join('') + Buffer.from(text).toString('hex').padEnd(64, '0')
