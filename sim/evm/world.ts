import type { Hex } from 'viem'
import { encodeFunctionData } from 'viem/utils'

import { createRandom } from '#sim/random.ts'

import { createHistory } from './chain/block_changes.ts'
import { openDesk, type Scene } from './chain/desk.ts'
import { createDriver, type Driver } from './chain/driver.ts'
import { createPools, reservesAt } from './chain/pools.ts'
import { take } from './chain/steps.ts'
import { hex } from './chain/transaction.ts'
import { accounts as accountsAbi } from './contracts/abi.ts'
import { createDeployments, deployContracts, word } from './contracts/deploy.ts'
import { rawTokens, rootOf, sqrtPriceX96 } from './contracts/price.ts'
import { setupDrafts, stockOf, v4Coin, v4Id } from './contracts/setup.ts'
import { createBookkeeper, type Bookkeeper, type EvmLedger } from './ledger/ledger.ts'
import type { NodeCall } from './node/rpc.ts'
import { startNode, type LocalNode } from './node/start_node.ts'
import { coinsOf } from './plan/fortunes.ts'
import { createPlan } from './plan/plan.ts'
import { slot_s } from './plan/trips.ts'
import type { EvmPlan } from './types.ts'

export type EvmWorldOptions = {
  seed: number
  /** Of the plan: its wallets and days. A small world has at least one wallet of each role but whales. */
  size?: number
  /** The instant up to which the chain is made at once, and the end of the plan, in seconds. */
  now_s: number
  ends_s?: number
  /** Whether balances are lifelike; by default wallets have the same, and more than they need. */
  isLifelike?: boolean
  /** The blocks before the head whose states the node keeps. */
  n_states?: number
  /** Receives the address of the node before the chain is made. */
  onNode?: (url: string) => void
}

/** A chain of a real node whose every wallet, trade and balance is known. */
export type EvmWorld = {
  /** The address of the node's JSON-RPC, and the id of its chain, which is that of Ethereum. */
  url: string
  chainId: number
  plan: EvmPlan
  ledger: EvmLedger
  /** The address of each actor of the plan, and of each token. */
  addresses: readonly Hex[]
  tokens: readonly Hex[]
  dollar: Hex
  /** The router of Uniswap V2. */
  v2Router: Hex
  head: () => number
  /** Makes the blocks of the plan up to an instant. */
  advance: (to_s: number) => Promise<void>
  /**
   * Replaces the newest blocks by others, in which the same wallets do somewhat else, and adds one block. The ledger is
   * then that of the new fork. At most 120 blocks are replaced.
   */
  reorg: (depth: number) => Promise<void>
  rpc: LocalNode
  close: () => Promise<void>
}

const chainId = 1

/** Starts a node and makes the chain of a plan. The same options give the same blocks but for the mined difficulty. */
export async function openEvmWorld({
  seed,
  size = 1,
  now_s,
  ends_s = now_s,
  isLifelike = false,
  n_states,
  onNode,
}: EvmWorldOptions): Promise<EvmWorld> {
  const plan = createPlan({ seed, size, now_s, ends_s, isLifelike })
  const accounts = { number: plan.actors.length, seed }
  const kept = n_states === undefined ? {} : { n_states }
  const node = await startNode({ chainId, start_s: plan.start_s, accounts, ...kept })
  try {
    onNode?.(node.url)
    const history = createHistory()
    const driver = createDriver(node)
    const { scene, keeper } = await setUp(node, driver, plan, history)
    const follower = createFollower({ node, driver, scene, keeper, history })
    await follower.advance(now_s)
    const { addresses, tokens, contracts } = scene
    const { ledger } = keeper
    return {
      url: node.url,
      chainId,
      plan,
      ledger,
      addresses,
      tokens,
      dollar: contracts.dollar,
      v2Router: contracts.v2Router,
      ...follower,
      rpc: node,
      close: node.close,
    }
  } catch (error) {
    await node.close()
    throw error
  }
}

/** Deploys everything and opens the pools, in the first blocks. */
async function setUp(
  node: LocalNode,
  driver: Driver,
  plan: EvmPlan,
  history: Scene['history'],
): Promise<{ scene: Scene; keeper: Bookkeeper }> {
  const owners = ((await node.call('eth_accounts')) as Hex[]).map((address) => address.toLowerCase() as Hex)
  if (plan.isLifelike) await endow(node, plan, owners)
  const [team, bundler] = owners
  if (team === undefined || bundler === undefined) throw new Error('anvil: no accounts; expected one for each wallet')
  const contracts = await deployContracts(node, driver, team, plan.start_s + 12)
  const deployments = createDeployments(driver, team)
  const tokens = plan.tokens.map(({ symbol }) =>
    deployments.add('Token', word(`Simulated ${symbol}`), word(symbol), 18),
  )
  const addresses = plan.actors.map(({ index, isAccount }) =>
    isAccount ? deployments.add('SmartAccount', contracts.entryPoint) : (owners[index] ?? team),
  )
  await deployments.mine(plan.start_s + 24)
  const pools = createPools(history, contracts.wrapped)
  const keeper = createBookkeeper(history, { wallets: new Set(addresses), pools })
  const accounts = plan.actors.filter(({ isAccount }) => isAccount).map(({ index }) => addresses[index] ?? team)
  const deposits = accounts.map((account) => ({
    from: bundler,
    to: contracts.entryPoint,
    data: encodeFunctionData({ abi: accountsAbi, functionName: 'depositTo', args: [account] }),
    value: rawTokens(50),
    trades: [],
  }))
  const withAddress = plan.tokens.map((token, n) => ({ ...token, address: tokens[n] ?? team }))
  const genesis = await node.batch(addresses.map((address) => ['eth_getBalance', address, 'latest']))
  for (const [n, address] of addresses.entries()) keeper.open(address, BigInt(genesis[n] as Hex))
  keeper.book(
    await driver.mine(plan.start_s + 36, [...setupDrafts(contracts, team, withAddress, stockOf(plan)), ...deposits]),
  )
  for (const { address, price_usd, depth_usd, hasV4 } of withAddress.filter(
    (token) => token.hasV4 && token.launched_s === null,
  )) {
    const [coin, amount] = [v4Coin(depth_usd), rawTokens(depth_usd / price_usd)]
    if (hasV4)
      pools.add(
        3,
        { venue: 'v4', id: v4Id(address), token0: 'native', token1: address, fee: 3_000 },
        reservesAt(rootOf(coin * amount), sqrtPriceX96(coin, amount)),
      )
  }
  const scene = { plan, contracts, addresses, tokens, pools, ledger: keeper.ledger, history, approved: new Map() }
  return { scene, keeper }
}

/** Gives each account its native coins before the first block. */
async function endow(node: LocalNode, plan: EvmPlan, owners: readonly Hex[]): Promise<void> {
  const balances = plan.actors.map((actor): NodeCall => {
    const amount = rawTokens(coinsOf(plan, actor))
    return ['anvil_setBalance', owners[actor.index], hex(amount)]
  })
  await node.batch(balances)
}

/** Makes the blocks of the plan, and other blocks in their place. */
function createFollower({
  node,
  driver,
  scene,
  keeper,
  history,
}: {
  node: LocalNode
  driver: Driver
  scene: Scene
  keeper: Bookkeeper
  history: Scene['history']
}) {
  const { plan } = scene
  const setupBlocks = 3
  const lastPlanned_s = plan.blocks.at(-1)?.at_s ?? plan.start_s
  let [next, fork] = [0, 0]

  const make = async (): Promise<void> => {
    const planned = plan.blocks[next]
    // Beyond the plan, empty blocks follow.
    const at_s = planned?.at_s ?? lastPlanned_s + slot_s * (next - plan.blocks.length + 1)
    const random = createRandom(plan.seed, 51, next, fork)
    const desk = openDesk(scene, setupBlocks + next + 1, random)
    for (const step of planned?.steps ?? []) {
      // In another fork, some wallets are too late.
      if (fork === 0 || random.chance(0.8)) await take(node, desk, step)
    }
    // A block of another fork has another time, so even an empty one has another hash.
    keeper.book(await driver.mine(at_s + (fork === 0 ? 0 : 1 + (fork % 6)), desk.drafts))
    next++
  }

  return {
    head: () => setupBlocks + next,
    advance: async (to_s: number) => {
      for (let planned = plan.blocks[next]; planned !== undefined && planned.at_s <= to_s; planned = plan.blocks[next])
        await make()
    },
    reorg: async (depth: number) => {
      if (depth > next) throw new Error(`reorg: ${depth} blocks; expected at most ${next}`)
      await driver.rollback(depth)
      history.rewind(setupBlocks + next - depth)
      fork++
      next -= depth
      for (let n = 0; n <= depth; n++) await make()
    },
  }
}
