import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { listRequested } from '#accounts/requested.ts'
import { requestedAccounts } from '#bin/wiring/service.ts'
import { publish } from '#builder/publish.ts'
import { startWorkflow } from '#engine'
import type { Lake } from '#lake/lake.ts'
import { columns } from '#scoring/columns/columns.ts'
import { loadExplain, loadScoring } from '#scoring/index.ts'
import { openEvmWorld } from '#sim/evm/world.ts'
import { newLake } from '#test/lake/fixture.ts'
import { anvil } from '#test/run/anvil.ts'
import { until } from '#test/run/eventually.ts'
import { followRound, runBackfill } from '#test/sources/evm/swaps/runs.ts'
import { ingestRequested } from '#workflows/ingest_requested.ts'

import { chainActivities } from './chain_house.ts'
import { openExplanations } from './explained.ts'
import { serveWallets } from './served_wallets.ts'

const now_s = 1_790_000_000
const chain = { slug: 'ethereum', now: () => (now_s + 86_400) * 1_000_000 }

const score = async (lake: Lake) => {
  const tools = {
    models: await loadScoring(),
    threads: 1,
    memory: '1GB',
    now: chain.now,
    macros: await loadExplain(),
    columns,
  }
  return publish(lake, 'scores', { ...tools, asOf: chain.now() })
}

const second = 1_000_000

test.skipIf(anvil === undefined)(
  'a requested address grows from pending to complete, and has all of its trades',
  async () => {
    const world = await openEvmWorld({ seed: 21, size: 0.1, now_s })
    onTestFinished(world.close)
    for (let n = 0; n < 100; n++) await world.rpc.call('evm_mine')
    const lake = await newLake()
    const api = await serveWallets(lake.home, { RPC_ETHEREUM: world.url })
    const requests = requestedAccounts(api.accounts)
    const activities = chainActivities(world, lake, chain, [], { size: 60, requests })
    const describe = async () => {
      for (const source of ['evm_tokens', 'evm_addresses'])
        expect(await runBackfill(chain, activities, { source })).toMatchObject({ failed: 0 })
      await score(lake)
    }
    // Of the chain, only the last blocks are read.
    await runBackfill(chain, activities, { from: (now_s - 60) * second })
    await describe()

    const traders = [...new Set(world.ledger.trades.map(({ wallet }) => wallet))]
    const [wallet = '', followed = ''] = traders.filter((trader) => world.addresses.indexOf(trader as never) > 1)
    const coverageOf = async (address: string) =>
      (await api.ask(`wallet?address=${address}&chain=ethereum`)).headers.get('x-coverage') ?? ''
    // A busy machine may miss the deadline of the live holdings, which is then a further reason.
    await until(async () => (await coverageOf(wallet)) === 'pending', 500)
    expect((await api.watch([followed])).status).toBe(201)
    const run = startWorkflow(ingestRequested, { args: [{ source: 'evm_accounts', pause_ms: 20 }], activities })
    const begun = async () =>
      lake.read(({ query }) =>
        query(`select distinct key from lake.coverage where source = 'evm_accounts'`, z.object({ key: z.string() })),
      )
    await until(async () => (await begun()).length === 2)
    await until(async () =>
      (await listRequested(api.accounts)).every(({ address }) => ![wallet, followed].includes(address)),
    )
    run.cancel()
    await expect(run.result).rejects.toThrow('cancelled')
    await describe()
    await until(
      async () => /^partial; since="20.*; reason="older blocks are read next/.test(await coverageOf(wallet)),
      500,
    )

    // A follow reads the next stretches in each round.
    for (let n = 0; n < 8; n++) expect(await followRound(chain, activities, 'evm_accounts', 'accounts')).toBeNull()
    await describe()
    const explain = await openExplanations(lake.home)
    for (const address of [wallet, followed]) {
      await until(async () => (await coverageOf(address)) === 'complete', 500)
      const { trades } = await explain(address)
      const truth = world.ledger.trades.filter((trade) => trade.wallet === address)
      expect(trades.map(String).toSorted()).toEqual(truth.map(({ tx }) => tx).toSorted())
    }
  },
)
