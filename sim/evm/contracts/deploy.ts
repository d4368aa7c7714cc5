import type { Hex } from 'viem'
import { getContractAddress } from 'viem/utils'

import type { Driver } from '#sim/evm/chain/driver.ts'
import { hex } from '#sim/evm/chain/transaction.ts'
import type { LocalNode } from '#sim/evm/node/start_node.ts'

import { deployData, type OwnName, type PublishedName } from './artifacts.ts'

/** The contracts of the world, by role. Addresses are in lower case. */
export type Contracts = {
  wrapped: Hex
  dollar: Hex
  v2Router: Hex
  v3Router: Hex
  v3Positions: Hex
  v4Manager: Hex
  v4Router: Hex
  v4Liquidity: Hex
  aggregator: Hex
  entryPoint: Hex
}

/** Ethereum's addresses of the wrapped coin, of a dollar and of Multicall3, since readers know these. */
const wellKnown = {
  wrapped: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  dollar: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  multicall: '0xca11bde05977b3631167028862be2a173976ca11',
} as const

/** A text of up to 32 bytes as a word. */
export const word = (text: string): Hex => `0x${Buffer.from(text).toString('hex').padEnd(64, '0')}`

/** Deployments of one account that wait for their block. */
export type Deployments = {
  /** The address that the contract will have. */
  add: (name: PublishedName | OwnName, ...args: readonly unknown[]) => Hex
  mine: (at_s: number) => Promise<void>
}

export function createDeployments(driver: Driver, from: Hex): Deployments {
  let waiting: Hex[] = []
  return {
    add: (name, ...args) => {
      const nonce = BigInt(driver.nonceOf(from) + waiting.length)
      waiting.push(deployData(name, args))
      return getContractAddress({ from, nonce }).toLowerCase() as Hex
    },
    mine: async (at_s) => {
      await driver.mine(
        at_s,
        waiting.map((data) => ({ from, to: null, data, value: 0n, trades: [], gas: 12_000_000 })),
      )
      waiting = []
    },
  }
}

/** Deploys the protocols and the own contracts, in one block. */
export async function deployContracts(node: LocalNode, driver: Driver, from: Hex, at_s: number): Promise<Contracts> {
  const { wrapped, dollar, multicall } = wellKnown
  const { add, mine } = createDeployments(driver, from)
  const copies: readonly [Hex, Hex][] = [
    [add('WETH9'), wrapped],
    [add('Token', word('USD Coin'), word('USDC'), 6), dollar],
    [add('Multicall3'), multicall],
  ]
  const v2Factory = add('UniswapV2Factory', from)
  const v2Router = add('UniswapV2Router02', v2Factory, wrapped)
  const v3Factory = add('UniswapV3Factory')
  const v3Router = add('SwapRouter', v3Factory, wrapped)
  // The last address is that of the contract that draws positions, which no test calls.
  const v3Positions = add('NonfungiblePositionManager', v3Factory, wrapped, wrapped)
  const v4Manager = add('PoolManager', from)
  const v4Router = add('PoolSwapTest', v4Manager)
  const v4Liquidity = add('PoolModifyLiquidityTest', v4Manager)
  const aggregator = add('Aggregator', v2Router, v3Router)
  const entryPoint = add('EntryPoint')
  await mine(at_s)
  for (const [source, target] of copies) await copyContract(node, source, target)
  const uniswap = { v2Router, v3Router, v3Positions, v4Manager, v4Router, v4Liquidity }
  return { wrapped, dollar, ...uniswap, aggregator, entryPoint }
}

/** Copies code, and the three words that the constructor of the wrapped coin stores: its name, symbol and decimals. */
async function copyContract(node: LocalNode, source: Hex, target: Hex): Promise<void> {
  await node.call('anvil_setCode', target, await node.call('eth_getCode', source, 'latest'))
  for (const slot of [0, 1, 2]) {
    const stored = await node.call('eth_getStorageAt', source, hex(slot), 'latest')
    await node.call('anvil_setStorageAt', target, `0x${slot.toString(16).padStart(64, '0')}`, stored)
  }
}
