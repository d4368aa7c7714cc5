import type { Hex } from 'viem'
import { concatHex, encodeFunctionData, getContractAddress, keccak256, numberToHex, parseAbi } from 'viem/utils'

import { polymarket } from '#registry/venues/polymarket.ts'
import { createDriver } from '#sim/evm/chain/driver.ts'
import { hex } from '#sim/evm/chain/transaction.ts'
import { deployData } from '#sim/evm/contracts/artifacts.ts'
import { word } from '#sim/evm/contracts/deploy.ts'
import { startNode } from '#sim/evm/node/start_node.ts'
import { walletOf } from '#sources/markets/polymarket/chain/wallet_addresses.ts'

/** The contracts, at their addresses on Polygon. */
export const at = {
  ctf: '0x4d97dcd97ec945f40cf65f87097ace5ea0476045',
  dollars: '0x2791bca1f2de4661ed88a30c99a7a9449aa84174',
  wrapped: '0x3a3bd7bb9528e159577f7c2e685cc81a765002e2',
  exchange: '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e',
  feeModule: '0xe3f18acc55091e2c48d883fc8c8413319d4ab7b0',
  adapter: '0xd91e80cf2e7be2e162c6513ced06f1dd0da35296',
} as const satisfies Record<string, Hex>

const order =
  'struct Order { bytes32 id; address maker; uint256 gives; uint256 gets; uint256 making; uint256 taking; uint256 fee; }'

export const abi = parseAbi([
  order,
  'function mint(address to, uint256 value)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function balanceOf(address holder) view returns (uint256)',
  'function balanceOf(address holder, uint256 id) view returns (uint256)',
  'function setApprovalForAll(address operator, bool isApproved)',
  'function prepareCondition(address oracle, bytes32 question, uint256 outcomes)',
  'function reportPayouts(bytes32 question, uint256[] payouts)',
  'function splitPosition(address collateral, bytes32 parent, bytes32 condition, uint256[] partition, uint256 amount)',
  'function mergePositions(address collateral, bytes32 parent, bytes32 condition, uint256[] partition, uint256 amount)',
  'function redeemPositions(address collateral, bytes32 parent, bytes32 condition, uint256[] sets)',
  'function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)',
  'function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)',
  'function getPositionId(address collateral, bytes32 collection) view returns (uint256)',
  'function getCollectionId(bytes32 parent, bytes32 condition, uint256 set) view returns (bytes32)',
  'function matchOrders(bytes32 condition, Order taker, Order[] makers, uint256[] refunds)',
  'function prepareMarket(bytes32 market)',
  'function prepareQuestion(bytes32 market)',
  'function reportOutcome(bytes32 market, uint256 index, bool outcome)',
  'function splitPosition(bytes32 condition, uint256 amount)',
  'function mergePositions(bytes32 condition, uint256 amount)',
  'function redeemPositions(bytes32 condition, uint256[] amounts)',
  'function convertPositions(bytes32 market, uint256 indexSet, uint256 amount)',
])

/** A market: its condition, both tokens as the contract computes them, and of a question its group and index. */
export type SharesMarket = { condition: Hex; question: Hex; tokens: [bigint, bigint]; group?: Hex; index?: number }

export const none: Hex = `0x${'0'.repeat(64)}`
export const group: Hex = `0x${'e7'.repeat(31)}00`
/** What each address of the chain has at first, in millionths of a dollar. */
export const minted = 1_000_000_000_000n
const most = 2n ** 255n
const questionOf = (index: number): Hex => `0x${(BigInt(group) | BigInt(index)).toString(16).padStart(64, '0')}`

export type SharesChain = Awaited<ReturnType<typeof openSharesChain>>

/** Polygon with the contracts of Polymarket on a real node, three markets and a group of questions. */
export async function openSharesChain(seed: number, start_s: number) {
  const node = await startNode({ chainId: 137, start_s, accounts: { number: 6, seed } })
  const driver = createDriver(node)
  const accounts = ((await node.call('eth_accounts')) as Hex[]).map((each) => each.toLowerCase() as Hex)
  const [operator = '0x', first = '0x'] = accounts
  let now_s = start_s
  /** Sends a call of an address in a block of its own. */
  const send = async (from: Hex, to: Hex | null, data: Hex): Promise<void> => {
    now_s += 2
    await driver.mine(now_s, [{ from, to, data, value: 0n, trades: [], gas: 12_000_000 }])
  }
  const call = async (to: Hex, data: Hex): Promise<Hex> => (await node.call('eth_call', { to, data }, 'latest')) as Hex

  const place = async (address: Hex, data: Hex): Promise<void> => {
    const made = getContractAddress({ from: operator, nonce: BigInt(driver.nonceOf(operator)) })
    await send(operator, null, data)
    await node.call('anvil_setCode', address, await node.call('eth_getCode', made, 'latest'))
  }
  await place(at.ctf, deployData('ConditionalTokens', []))
  for (const token of [at.dollars, at.wrapped])
    await place(token, deployData('Token', [word('Dollars'), word('USDC'), 6]))
  for (const [address, name] of [
    [at.exchange, 'ExchangeV1'],
    [at.feeModule, 'FeeModule'],
    [at.adapter, 'NegRiskAdapter'],
  ] as const)
    await place(address, deployData(name, []))

  // The second account has a Safe too. It acts by itself, as the node lets any address.
  const derived = polymarket.wallets.at(-1)
  if (derived === undefined) throw new Error('no derived wallet')
  const safe = walletOf(derived, first) as Hex
  await node.call('anvil_impersonateAccount', safe)
  await node.call('anvil_setBalance', safe, hex(10n ** 20n))
  const wallets = [...accounts.slice(1), safe]
  for (const wallet of wallets) {
    await send(operator, at.dollars, encodeFunctionData({ abi, functionName: 'mint', args: [wallet, minted] }))
    for (const spender of [at.ctf, at.exchange, at.adapter])
      await send(wallet, at.dollars, encodeFunctionData({ abi, functionName: 'approve', args: [spender, most] }))
    for (const spender of [at.exchange, at.adapter])
      await send(wallet, at.ctf, encodeFunctionData({ abi, functionName: 'setApprovalForAll', args: [spender, true] }))
  }

  const tokenOf = async (collateral: Hex, condition: Hex, outcome: number): Promise<bigint> => {
    const args = [none, condition, BigInt(outcome + 1)] as const
    const collection = await call(at.ctf, encodeFunctionData({ abi, functionName: 'getCollectionId', args }))
    return BigInt(
      await call(at.ctf, encodeFunctionData({ abi, functionName: 'getPositionId', args: [collateral, collection] })),
    )
  }
  const marketOf = async (
    oracle: Hex,
    question: Hex,
    more: Pick<SharesMarket, 'group' | 'index'>,
  ): Promise<SharesMarket> => {
    const condition = keccak256(concatHex([oracle, question, numberToHex(2, { size: 32 })]))
    const collateral = oracle === at.adapter ? at.wrapped : at.dollars
    const tokens: [bigint, bigint] = [await tokenOf(collateral, condition, 0), await tokenOf(collateral, condition, 1)]
    return { condition, question, tokens, ...more }
  }
  const markets: SharesMarket[] = []
  for (const digit of ['a', 'b', 'c']) {
    const question: Hex = `0x${digit.repeat(64)}`
    const args = [operator, question, 2n] as const
    await send(operator, at.ctf, encodeFunctionData({ abi, functionName: 'prepareCondition', args }))
    markets.push(await marketOf(operator, question, {}))
  }
  await send(operator, at.adapter, encodeFunctionData({ abi, functionName: 'prepareMarket', args: [group] }))
  const prepareQuestion = async (index: number): Promise<void> => {
    await send(operator, at.adapter, encodeFunctionData({ abi, functionName: 'prepareQuestion', args: [group] }))
    markets.push(await marketOf(at.adapter, questionOf(index), { group, index }))
  }
  for (const index of [0, 1, 2]) await prepareQuestion(index)

  const read = async (to: Hex, args: readonly [Hex] | readonly [Hex, bigint]): Promise<bigint> =>
    BigInt(await call(to, encodeFunctionData({ abi, functionName: 'balanceOf', args })))
  return {
    url: node.url,
    operator,
    wallets,
    owner: first,
    safe,
    markets,
    now_s: () => now_s,
    send,
    prepareQuestion,
    dollarsOf: (wallet: Hex) => read(at.dollars, [wallet]),
    sharesOf: (wallet: Hex, token: bigint) => read(at.ctf, [wallet, token]),
    close: node.close,
  }
}
