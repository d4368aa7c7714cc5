import type { Hex } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { createActivities } from '#activities/index.ts'
import { parseConfig } from '#config.ts'
import { createHttp } from '#ingest/http/http.ts'
import { reparse } from '#ingest/reparse.ts'
import type { Lake } from '#lake/lake.ts'
import { createDriver, type Driver } from '#sim/evm/chain/driver.ts'
import { v4Key } from '#sim/evm/chain/swap_calls.ts'
import { token as tokenAbi, v4 } from '#sim/evm/contracts/abi.ts'
import { createDeployments, word } from '#sim/evm/contracts/deploy.ts'
import { sqrtPriceX96 } from '#sim/evm/contracts/price.ts'
import { v4Id } from '#sim/evm/contracts/setup.ts'
import { startNode, type LocalNode } from '#sim/evm/node/start_node.ts'
import { creationTopic, deployments } from '#sources/evm/decode/uniswap_v4.ts'
import { evmSwapsOf } from '#sources/evm/evm_swaps.ts'
import { evmTokensOf } from '#sources/evm/evm_tokens.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { tinyTools } from '#test/ingest/tiny.ts'
import { newLake } from '#test/lake/fixture.ts'
import { anvil } from '#test/run/anvil.ts'
import { runBackfill } from '#test/sources/evm/swaps/runs.ts'
import { machineTimers } from '#time.ts'

const manager = deployments['ethereum']?.manager as Hex
const start_s = 1_790_000_000
/** A block a second, so that blocks are instants. */
const timeOf = (block: number): number => start_s + block
const coin = 10n ** 20n
const swapTopic = '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f'

/** Puts the deployed manager at its address on Ethereum. Its code has its own address as a constant. */
async function moveManager(node: LocalNode, deployed: Hex): Promise<void> {
  const code = String(await node.call('eth_getCode', deployed, 'latest'))
  await node.call('anvil_setCode', manager, code.replaceAll(deployed.slice(2), manager.slice(2)))
}

/** A pool of V4 between the coin and a token, with liquidity that a contract of its own minted. Returns its swap. */
async function openPool(node: LocalNode, driver: Driver, team: Hex) {
  const { add, mine } = createDeployments(driver, team)
  const deployed = add('PoolManager', team)
  const [router, liquidity] = [add('PoolSwapTest', manager), add('PoolModifyLiquidityTest', manager)]
  const token = add('Token', word('Old Token'), word('OLD'), 18)
  await mine(timeOf(1))
  await moveManager(node, deployed)
  const key = v4Key(token)
  const send = (to: Hex, data: Hex, value = 0n) => ({ from: team, to, data, value, trades: [], gas: 6_000_000 })
  const range = { tickLower: -887_220, tickUpper: 887_220, liquidityDelta: coin, salt: word('') }
  await driver.mine(timeOf(2), [
    send(token, encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args: [team, 10n ** 24n] })),
    send(token, encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [liquidity, 2n ** 256n - 1n] })),
    send(manager, encodeFunctionData({ abi: v4, functionName: 'initialize', args: [key, sqrtPriceX96(coin, coin)] })),
    send(
      liquidity,
      encodeFunctionData({ abi: v4, functionName: 'modifyLiquidity', args: [key, range, '0x'] }),
      2n * coin,
    ),
  ])
  const params = { zeroForOne: true, amountSpecified: -(10n ** 18n), sqrtPriceLimitX96: 4_295_128_740n }
  const settings = { takeClaims: false, settleUsingBurn: false }
  const data = encodeFunctionData({ abi: v4, functionName: 'swap', args: [key, params, settings, '0x'] })
  return { token, swap: send(router, data, 10n ** 18n) }
}

/** Activities that read the node, with a memory of their own. */
function readerOf({ url }: LocalNode, lake: Lake) {
  const memory = createRpcMemory(machineTimers)
  const own = [evmSwapsOf(memory), evmTokensOf(memory)] as const
  const { hosts, sources } = parseConfig({ RPC_ETHEREUM: url, TAPELINE_WORLD: 'anvil' }, [...own])
  const counts = { logs: 0 }
  let now = timeOf(5_000) * 1_000_000
  const http = createHttp({
    hosts,
    random: () => 0.5,
    ...machineTimers,
    fetch: async (to, init) => {
      const body = z.string().parse(init?.body)
      // The reader of swaps asks for creations and swaps together.
      if (body.includes(creationTopic) && !body.includes(swapTopic)) counts.logs += 1
      return fetch(to, init)
    },
  })
  const clock = (): number => now
  const wait = (): void => void (now += 3_600_000_000)
  const tools = { ...tinyTools(lake, own[0], 0), sources, hosts, http, timers: machineTimers }
  return { activities: createActivities({ ...tools, clock, keepRaw: true }), clock, wait, tokens: own[1], counts }
}

const poolShape = z.object({ pool: z.string(), tokens: z.array(z.string()), factory: z.string().nullable() })
const poolsIn = (lake: Lake) =>
  lake.read(({ query }) => query('select pool, tokens, factory from lake.pools order by seen_at', poolShape))
const proofShape = z.object({ proof: z.string() })

describe.skipIf(anvil === undefined)('on a node with the contracts of Uniswap V4', () => {
  test('a pool that is older than the first unit, and that the contract of positions does not know, has its tokens', async () => {
    const node = await startNode({ chainId: 1, start_s, accounts: { number: 1, seed: 1 } })
    onTestFinished(node.close)
    const [team] = (await node.call('eth_accounts')) as Hex[]
    const driver = createDriver(node)
    const { token, swap } = await openPool(node, driver, team as Hex)
    for (let block = 3; block < 130; block++) await driver.mine(timeOf(block), block === 120 ? [swap] : [])

    const lake = await newLake()
    const { activities, clock, wait, tokens, counts } = readerOf(node, lake)
    const chain = { slug: 'ethereum', now: clock }
    const from = timeOf(110) * 1_000_000
    expect(await runBackfill(chain, activities, { from })).toMatchObject({ units: 1, failed: 0 })
    expect(await poolsIn(lake)).toEqual([])

    await runBackfill(chain, activities, { from, source: 'evm_tokens' })
    const expected = [{ pool: v4Id(token), tokens: ['native', token], factory: manager }]
    expect(await poolsIn(lake)).toEqual(expected)
    const proofs = await lake.read(({ query }) =>
      query("select proof from lake.coverage where source = 'evm_tokens' and dataset = 'pools'", proofShape),
    )
    expect(proofs).toEqual([{ proof: expect.stringContaining('the creations of 1 of 1 pools found in 1 requests') }])

    // The pool is read once, and a reparse finds its key among the bodies.
    expect(counts.logs).toBe(1)
    wait()
    await runBackfill(chain, activities, { from, source: 'evm_tokens' })
    expect(counts.logs).toBe(1)
    expect(await reparse(lake, tokens, () => undefined)).toMatchObject({ units: 1, failed: [] })
    expect(await poolsIn(lake)).toEqual(expected)
  })
})
