import { expect, test } from 'vitest'
import { z } from 'zod'

import { createActivities, type Activities } from '#activities/index.ts'
import { parseConfig } from '#config.ts'
import { createHttp } from '#ingest/http/http.ts'
import { reparse } from '#ingest/reparse.ts'
import type { Lake } from '#lake/lake.ts'
import { createRandom } from '#sim/random.ts'
import { evmSwapsOf } from '#sources/evm/evm_swaps.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { tinyTools } from '#test/ingest/tiny.ts'
import { newLake } from '#test/lake/fixture.ts'
import { anvil, sender, startAnvil, type Anvil } from '#test/run/anvil.ts'
import { sized } from '#test/run/sized.ts'
import { machineClock, machineTimers } from '#time.ts'

import { heldIn } from './held.ts'
import { followRound, runBackfill } from './runs.ts'

const swapTopic = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67'
/** A contract that emits its input as the data of a swap of Uniswap V3, with the caller as both parties. */
const poolCode = `0x365f5f3733337f${swapTopic.slice(2)}365fa300`
const pool = '0x00000000000000000000000000000000000e1178'

const callOf = (amount: bigint) => {
  const words = [amount, -amount, 1n << 96n, 10n ** 18n, 0n]
  const data = words.map((word) => BigInt.asUintN(256, word).toString(16).padStart(64, '0')).join('')
  return { from: sender, to: pool, data: `0x${data}`, gas: '0x186a0' }
}

/** Mines blocks with up to two swaps each. */
async function mineSwaps(node: Anvil, random: ReturnType<typeof createRandom>, n_blocks: number): Promise<void> {
  for (let n = 0; n < n_blocks; n++) {
    for (let swap = random.below(3); swap > 0; swap--)
      await node.rpc('eth_sendTransaction', callOf(1n + BigInt(random.below(1_000_000))))
    await node.mine()
  }
}

/** The chain of a node of Ethereum's id. Its reader is ahead of all blocks, whose times anvil chooses. */
const chain = { slug: 'ethereum', now: () => machineClock() + 86_400_000_000 }

function activitiesOf(node: Anvil, lake: Lake, whole = ''): Activities {
  const source = evmSwapsOf(createRpcMemory(machineTimers))
  const { hosts, sources } = parseConfig(
    { RPC_ETHEREUM: node.url, TAPELINE_WORLD: 'anvil', TAPELINE_WHOLE_CHAINS: whole },
    [source],
  )
  const http = createHttp({ hosts, random: Math.random, ...machineTimers })
  const tools = { ...tinyTools(lake, sources[0] ?? source, 0), hosts, http, timers: machineTimers }
  return createActivities({ ...tools, clock: chain.now, keepRaw: true })
}

const logShape = z.array(z.object({ blockHash: z.string(), transactionHash: z.string(), data: z.string() }))

/** The swaps of the chain as one request to the node gives them. */
const swapsOf = async (node: Anvil): Promise<string[]> => {
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: pool }
  const logs = logShape.parse(await node.rpc('eth_getLogs', filter))
  return logs.map(({ blockHash, transactionHash, data }) =>
    [blockHash, transactionHash, BigInt(data.slice(0, 66))].join(),
  )
}

const swapShape = z.object({ hash: z.string(), tx: z.string(), amount0: z.string() })

/** The swaps of the lake, with the hashes of their blocks. */
const swapsIn = async (lake: Lake): Promise<string[]> => {
  const rows = await lake.read(({ query }) =>
    query(
      `select b.hash, s.tx, s.amount0::varchar as amount0 from lake.swaps s
       join lake.blocks b on b.chain = s.chain and b.block = s.block order by s.block, s.log_index`,
      swapShape,
    ),
  )
  return rows.map(({ hash, tx, amount0 }) => [hash, tx, amount0].join())
}

const n_reorgs = sized(5, 10, 50)

test.skipIf(anvil === undefined)(
  `${n_reorgs} reorganizations of a real node, one at the switch from a backfill, leave the lake of a fresh backfill`,
  async () => {
    const node = await startAnvil()
    const random = createRandom(31, 1)
    await node.rpc('anvil_setCode', pool, poolCode)
    await mineSwaps(node, random, 130)
    const lake = await newLake()
    const activities = activitiesOf(node, lake)
    expect(await runBackfill(chain, activities)).toMatchObject({ failed: 0 })
    expect(await swapsIn(lake)).toEqual(await swapsOf(node))
    for (let n = 0; n < n_reorgs; n++) {
      const depth = 1 + random.below(30)
      // The new blocks have other swaps than those that they replace.
      const swaps = Array.from({ length: random.below(5) }, () => [
        callOf(2_000_000n + BigInt(random.below(1_000_000))),
        random.below(depth),
      ])
      await node.rpc('anvil_reorg', depth, swaps)
      await mineSwaps(node, random, 1 + random.below(3))
      expect(await followRound(chain, activities)).toBeNull()
      expect(await swapsIn(lake)).toEqual(await swapsOf(node))
    }
    const fresh = await newLake()
    expect(await runBackfill(chain, activitiesOf(node, fresh))).toMatchObject({ failed: 0 })
    const held = await heldIn(lake)
    expect(held).toEqual(await heldIn(fresh))
    const source = evmSwapsOf(createRpcMemory(machineTimers))
    expect(await reparse(lake, source, () => undefined)).toMatchObject({ failed: [] })
    expect(await heldIn(lake)).toEqual(held)
  },
)

const receiptShape = z.object({ gasUsed: z.string(), effectiveGasPrice: z.string(), status: z.string() })

test.skipIf(anvil === undefined)(
  'a chain that is read whole also has plain payments and failed transactions, with their fees',
  async () => {
    const node = await startAnvil()
    const random = createRandom(32, 1)
    await node.rpc('anvil_setCode', pool, poolCode)
    const failing = '0x00000000000000000000000000000000000e1179'
    await node.rpc('anvil_setCode', failing, '0xfe')
    const sent: string[] = []
    for (let n = 0; n < 20; n++) {
      const pay = { from: sender, to: `0x${'9'.repeat(40)}`, value: '0x7', gas: '0x5208' }
      for (const call of [pay, { from: sender, to: failing, gas: '0x7530' }])
        if (random.chance(0.6)) sent.push(String(await node.rpc('eth_sendTransaction', call)))
      await mineSwaps(node, random, 1)
    }
    const lake = await newLake()
    expect(await runBackfill(chain, activitiesOf(node, lake, 'ethereum'))).toMatchObject({ failed: 0 })
    expect(await swapsIn(lake)).toEqual(await swapsOf(node))
    const rows = await lake.read(({ query }) =>
      query(
        'select tx, amount_fee::varchar as fee, is_ok from lake.transactions',
        z.object({ tx: z.string(), fee: z.string(), is_ok: z.boolean() }),
      ),
    )
    const byTx = new Map(rows.map((row) => [row.tx, row]))
    expect(sent.length).toBeGreaterThan(15)
    for (const tx of sent) {
      const { gasUsed, effectiveGasPrice, status } = receiptShape.parse(await node.rpc('eth_getTransactionReceipt', tx))
      const fee = String(BigInt(gasUsed) * BigInt(effectiveGasPrice))
      expect(byTx.get(tx)).toEqual({ tx, fee, is_ok: status === '0x1' })
    }
    expect(new Set(rows.map(({ is_ok }) => is_ok))).toEqual(new Set([true, false]))
  },
)
