import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { listRequested } from '#accounts/requested.ts'
import { requestedAccounts } from '#bin/wiring/service.ts'
import { publish } from '#builder/publish.ts'
import { startWorkflow } from '#engine'
import type { Lake } from '#lake/lake.ts'
import { columns } from '#scoring/columns/columns.ts'
import { loadScoring } from '#scoring/index.ts'
import { serveChains } from '#sim/chains/serve_chains.ts'
import { answerSolana, textOfAnswer } from '#sim/solana/node.ts'
import { tinyHost, tinySource } from '#test/ingest/tiny.ts'
import { newLake } from '#test/lake/fixture.ts'
import { until } from '#test/run/eventually.ts'
import { runBackfill } from '#test/sources/evm/swaps/runs.ts'
import { solanaHouse, type SolanaHouse } from '#test/sources/solana/solana_house.ts'
import { ingestRequested } from '#workflows/ingest_requested.ts'

import { serveWallets } from './served_wallets.ts'

const owner = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'

/** Builds the scores of a lake. */
const score = async (lake: Lake, { now }: SolanaHouse) =>
  publish(lake, 'scores', {
    models: await loadScoring(),
    asOf: now(),
    threads: 1,
    memory: '1GB',
    now,
    macros: [],
    columns,
  })

/** The accounts that are read, each with the number of its stored transactions. */
const readIn = async (lake: Lake): Promise<Record<string, number>> => {
  const rows = await lake.read(({ query }) =>
    query(
      `select key, max(n_rows) as n from lake.coverage
       where source = 'solana_accounts' and dataset = 'transactions' and state = 'head' group by key`,
      z.object({ key: z.string(), n: z.coerce.number() }),
    ),
  )
  return Object.fromEntries(rows.map(({ key, n }) => [key, n]))
}

/** A simulated Solana behind the API, of which one wallet is read. */
async function servedHouse() {
  const house = solanaHouse({ n_slots: 110 })
  const lake = await newLake()
  const [first = ''] = house.world.wallets
  await runBackfill(house, house.activities(lake), { source: 'solana_accounts', keys: [first] })
  await score(lake, house)
  const node = {
    slug: 'solana',
    answer: (body: unknown) => textOfAnswer(answerSolana(house.world, body, house.world.plan.n_slots)),
  }
  const nodes = await serveChains([], house.now, [node])
  onTestFinished(nodes.close)
  return { house, lake, api: await serveWallets(lake.home, nodes.settings, 'solana', 'seed-7') }
}

test('requested and followed addresses are read by the source of their kind alone, and served then', async () => {
  const { house, lake, api } = await servedHouse()
  const [first = '', asked = '', followed = ''] = house.world.wallets
  const mint = house.world.tokens[1]?.mint ?? ''
  const coverageOf = async (address: string) => (await api.ask(`wallet?address=${address}`)).headers.get('x-coverage')
  // A busy machine may miss the deadline of the live holdings, which is then a second reason.
  await until(async () => (await coverageOf(asked)) === 'pending', 500)
  await until(async () => (await coverageOf(mint))?.includes('a mint, no wallet') === true, 500)
  expect((await api.watch([followed, owner, mint])).status).toBe(201)

  const keysOfEvm: string[] = []
  const evm = tinySource({
    name: 'evm_accounts',
    addresses: 'evm',
    plan: async ({ keys }) => {
      keysOfEvm.push(...keys)
      return []
    },
  })
  const requests = requestedAccounts(api.accounts)
  const activities = house.activities(lake, { sources: [evm], hosts: { [tinyHost.name]: tinyHost }, requests })
  const request = { source: evm.name, also: ['solana_accounts'], pause_ms: 20 }
  const run = startWorkflow(ingestRequested, { args: [request], activities })
  await until(async () => {
    const read = await readIn(lake)
    return read[asked] !== undefined && read[followed] !== undefined
  })
  // Only the addresses that the reader of EVM could not read are still waiting.
  await until(async () => (await listRequested(api.accounts)).every(({ address }) => address.startsWith('0x')))
  run.cancel()
  await expect(run.result).rejects.toThrow('cancelled')

  expect(keysOfEvm).toContain(owner)
  expect(keysOfEvm.filter((key) => !/^0x[0-9a-f]{40}$/.test(key))).toEqual([])
  const read = await readIn(lake)
  expect(Object.keys(read).toSorted()).toEqual([first, asked, followed].toSorted())
  expect(Math.min(...Object.values(read))).toBeGreaterThan(3)

  await score(lake, house)
  for (const wallet of [asked, followed])
    await until(async () => !/pending|not read|no trade/.test((await coverageOf(wallet)) ?? ''), 200)
})
