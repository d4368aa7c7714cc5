import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'
import type { Hex } from 'viem'
import { concat, encodeFunctionData, keccak256, numberToHex, pad, parseAbi } from 'viem/utils'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { publish } from '#builder/publish.ts'
import type { Lake } from '#lake/lake.ts'
import { columns } from '#scoring/columns/columns.ts'
import { loadExplain, loadScoring } from '#scoring/index.ts'
import { openEvmWorld, type EvmWorld } from '#sim/evm/world.ts'
import { newLake } from '#test/lake/fixture.ts'
import { anvil } from '#test/run/anvil.ts'
import { sized } from '#test/run/sized.ts'
import { runBackfill } from '#test/sources/evm/swaps/runs.ts'

import { chainActivities } from './chain_house.ts'
import { serveWallets, type Profile } from './served_wallets.ts'

const now_s = 1_790_000_000
const chain = { slug: 'ethereum', now: () => (now_s + 3_600) * 1_000_000 }
/** More than the depth of finality: the state of the head is that of the final block. */
const n_empty = 80
const planted = 1_234_567n

const balanceAbi = parseAbi(['function balanceOf(address owner) view returns (uint256)'])

/** What a wallet holds of a token, or of the coin, after a block: asked of the node alone. */
async function heldAt({ rpc }: EvmWorld, wallet: string, token: string, block: number): Promise<bigint> {
  const at = numberToHex(block)
  if (token === 'native') return BigInt(z.string().parse(await rpc.call('eth_getBalance', wallet, at)))
  const data = encodeFunctionData({ abi: balanceAbi, functionName: 'balanceOf', args: [wallet as Hex] })
  return BigInt(z.string().parse(await rpc.call('eth_call', { to: token, data }, at)))
}

/** Gives a wallet units of a token without a log, by the storage of the contract. */
async function plant(world: EvmWorld, wallet: Hex, token: Hex): Promise<void> {
  const own = await heldAt(world, wallet, token, world.head())
  for (let n = 0n; n < 10n; n++) {
    const slot = keccak256(concat([pad(wallet), pad(numberToHex(n))]))
    if (BigInt(z.string().parse(await world.rpc.call('eth_getStorageAt', token, slot, 'latest'))) !== own) continue
    await world.rpc.call('anvil_setStorageAt', token, slot, pad(numberToHex(own + planted)))
    return
  }
  throw new Error(`token ${token}: no slot of a balance; expected one`)
}

const rowShape = z.object({ address: z.string(), token: z.string(), block: z.coerce.number(), amount: z.string() })

const balancesIn = (lake: Lake) =>
  lake.read(({ query }) =>
    query('select address, token, block, amount::varchar as amount from lake.balances order by all', rowShape),
  )

const checkShape = z.object({
  wallet: z.string(),
  token: z.string(),
  amount: z.string().transform(BigInt),
  lots: z.string().transform(BigInt),
  untracked: z.string().transform(BigInt),
  unmatched: z.string().transform(BigInt),
})
type Check = z.infer<typeof checkShape>

/** The checks and the explained balances of the analysts' file. */
async function analysed(home: string, wallet: string): Promise<{ checks: Check[]; explained: string[] }> {
  const instance = await DuckDBInstance.create(join(home, 'tapeline.duckdb'), { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson()
  const checks = await rowsOf(
    `select wallet, token, amount::varchar as amount, amount_lots::varchar as lots,
       amount_untracked::varchar as untracked, amount_unmatched::varchar as unmatched
     from core.balance_checks order by all`,
  )
  const explained = await rowsOf(`select what from core.explain_wallet('${wallet}', only_part := 'balance')`)
  connection.closeSync()
  instance.closeSync()
  return {
    checks: z.array(checkShape).parse(checks),
    explained: z
      .array(z.object({ what: z.string() }))
      .parse(explained)
      .map(({ what }) => what),
  }
}

/** A trader of the ledger and a token that it holds lots of. */
function traderOf({ ledger, tokens, addresses }: EvmWorld): { wallet: Hex; token: Hex } {
  for (const wallet of addresses.slice(2))
    for (const token of tokens)
      if (
        (ledger.holdings.get(`${wallet} ${token}`) ?? 0n) > 0n &&
        ledger.trades.some((trade) => trade.wallet === wallet && trade.token_bought === token)
      )
        return { wallet, token }
  throw new Error('no trader with an open lot; expected one')
}

/** Amounts are sums of floats where they are stored, so their last digits differ. */
const amountsOf = ({ holdings }: Profile) =>
  holdings.map(({ token, amount, usd_value }) => `${token} ${amount.toPrecision(12)} ${usd_value.toFixed(2)}`)

test.skipIf(anvil === undefined)(
  'balances of a real chain are those of its node at one block, differ from lots by what was planted, and stand in for the node',
  async () => {
    const world = await openEvmWorld({ seed: 21, size: sized(0.05, 0.05, 0.3), now_s, n_states: 10_000 })
    onTestFinished(world.close)
    const { wallet, token } = traderOf(world)
    await plant(world, wallet, token)
    await world.rpc.call('anvil_mine', numberToHex(n_empty))
    const lake = await newLake()
    const activities = chainActivities(world, lake, chain, world.addresses)
    for (const source of ['evm_swaps', 'evm_tokens', 'evm_addresses', 'evm_balances'])
      expect(await runBackfill(chain, activities, { source })).toMatchObject({ failed: 0 })

    const rows = await balancesIn(lake)
    const [block = 0, ...others] = new Set(rows.map((row) => row.block))
    expect([others, block > world.head()]).toEqual([[], true])
    expect(new Set(rows.map(({ address }) => address))).toEqual(new Set(world.addresses))
    for (const row of rows)
      expect({ ...row, amount: BigInt(row.amount) }).toEqual({
        ...row,
        amount: await heldAt(world, row.address, row.token, block),
      })

    const scoring = { models: await loadScoring(), macros: await loadExplain(), columns }
    await publish(lake, 'scores', { ...scoring, asOf: chain.now(), threads: 1, memory: '1GB', now: chain.now })
    const { checks, explained } = await analysed(lake.home, wallet)
    const ofTokens = checks.filter((check) => check.token !== 'native')
    expect(ofTokens.filter(({ lots }) => lots > 0n).length).toBeGreaterThan(sized(10, 10, 30))
    const differing = ofTokens.filter(({ untracked, unmatched }) => untracked !== 0n || unmatched !== 0n)
    expect(differing).toMatchObject([{ wallet, token, untracked: planted, unmatched: 0n }])
    expect(explained.filter((what) => what.endsWith(`, untracked ${planted}`))).toHaveLength(1)

    // Each account had its coins before the first block. The team's pools and the bundler get refunds that no log
    // shows.
    const accounts = new Set(world.plan.actors.flatMap((one) => (one.isAccount ? [world.addresses[one.index]] : [])))
    for (const { wallet: owner, token: held, untracked, unmatched } of checks) {
      if (held !== 'native' || world.addresses.indexOf(owner as Hex) < 2 || accounts.has(owner as Hex)) continue
      expect([owner, untracked + unmatched]).toEqual([owner, await heldAt(world, owner, 'native', 0)])
    }

    const [live, stored] = [
      await serveWallets(lake.home, { RPC_ETHEREUM: world.url }),
      await serveWallets(lake.home, {}),
    ]
    for (const one of world.addresses.slice(2, sized(7, 7, 22))) {
      const response = await stored.ask(`wallet?address=${one}&chain=ethereum`)
      expect(response.headers.get('x-coverage')).toContain('holdings are')
      const profile = (await response.json()) as Profile
      expect(amountsOf(profile)).toEqual(amountsOf(await live.profileOf(one)))
    }
  },
)
