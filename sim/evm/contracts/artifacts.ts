import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import type { Abi, Hex } from 'viem'
import { encodeDeployData } from 'viem/utils'
import { z } from 'zod'

const { resolve } = createRequire(import.meta.url)
const hex = z.templateLiteral(['0x', z.string()])
const abi = z.array(z.unknown()).transform((items) => items as Abi)
/** Truffle and Hardhat write the bytecode as text, Foundry as an object. Truffle leaves out `0x` at times. */
const artifact = z.object({
  abi,
  bytecode: z.union([z.string(), z.object({ object: z.string() }).transform(({ object }) => object)]),
})
const compiledShape = z.object({
  digest: z.string(),
  contracts: z.record(z.string(), z.object({ abi, bytecode: hex })),
})

/** The files of the published bytecode, below the packages of npm. */
const published = {
  UniswapV2Factory: '@uniswap/v2-core/build/UniswapV2Factory.json',
  UniswapV2Router02: '@uniswap/v2-periphery/build/UniswapV2Router02.json',
  WETH9: '@uniswap/v2-periphery/build/WETH9.json',
  UniswapV3Factory: '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  SwapRouter: '@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json',
  NonfungiblePositionManager:
    '@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json',
  PoolManager: '@uniswap/v4-core/out/PoolManager.sol/PoolManager.json',
  PoolSwapTest: '@uniswap/v4-core/out/PoolSwapTest.sol/PoolSwapTest.json',
  ConditionalTokens: '@gnosis.pm/conditional-tokens-contracts/build/contracts/ConditionalTokens.json',
  PoolModifyLiquidityTest: '@uniswap/v4-core/out/PoolModifyLiquidityTest.sol/PoolModifyLiquidityTest.json',
} as const

export type PublishedName = keyof typeof published
/** The contracts of `solidity/`, which `scripts/contracts.ts` compiles. */
export type OwnName =
  | 'Token'
  | 'Aggregator'
  | 'EntryPoint'
  | 'SmartAccount'
  | 'Multicall3'
  | 'NativeRouter'
  | 'ExchangeV1'
  | 'FeeModule'
  | 'NegRiskAdapter'

/** The digest of the sources from which `compiled.json` was made. */
export const compiledDigest = (): string => readCompiled().digest

const readCompiled = () =>
  compiledShape.parse(JSON.parse(readFileSync(new URL('compiled.json', import.meta.url), 'utf8')))

/** The data of a transaction that deploys a contract with the arguments of its constructor. */
export function deployData(name: PublishedName | OwnName, args: readonly unknown[]): Hex {
  const { abi: contractAbi, bytecode } = isPublished(name) ? readPublished(name) : readOwn(name)
  const code: Hex = bytecode.startsWith('0x') ? (bytecode as Hex) : `0x${bytecode}`
  return encodeDeployData({ abi: contractAbi, bytecode: code, args })
}

const isPublished = (name: string): name is PublishedName => Object.hasOwn(published, name)

const readPublished = (name: PublishedName) =>
  artifact.parse(JSON.parse(readFileSync(resolve(published[name]), 'utf8')))

function readOwn(name: OwnName) {
  const compiled = readCompiled().contracts[name]
  if (compiled === undefined)
    throw new Error(`${name}: not compiled; expected npx tsx scripts/contracts.ts to have run`)
  return compiled
}
