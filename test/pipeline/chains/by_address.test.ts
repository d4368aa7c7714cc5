import { DuckDBInstance } from '@duckdb/node-api'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { publish } from '#builder/publish.ts'
import type { Lake } from '#lake/lake.ts'
import { columns } from '#scoring/columns/columns.ts'
import { loadScoring } from '#scoring/index.ts'
import { openEvmWorld } from '#sim/evm/world.ts'
import { newLake } from '#test/lake/fixture.ts'
import { anvil } from '#test/run/anvil.ts'
import { sized } from '#test/run/sized.ts'
import { runBackfill } from '#test/sources/evm/swaps/runs.ts'

import { chainActivities } from './chain_house.ts'

const now_s = 1_790_000_000
/** The readers of the chain are a day after the end of the world, when all of its trades are final. */
const chain = { slug: 'ethereum', now: () => (now_s + 86_400) * 1_000_000 }

const rowShape = z.record(z.string(), z.string().nullable())
type Row = z.output<typeof rowShape>

/** Builds the scores of a lake, and reads the rows of a query from its marts. */
async function scored(lake: Lake, sql: string): Promise<Row[]> {
  const tools = { models: await loadScoring(), threads: 2, memory: '1GB', now: chain.now, macros: [], columns }
  const { id } = await publish(lake, 'scores', { ...tools, asOf: chain.now() })
  const instance = await DuckDBInstance.create(lake.local.locate(`marts/${id}.duckdb`), { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
  connection.closeSync()
  instance.closeSync()
  return z.array(rowShape).parse(rows)
}

const results = `
  select address, realized_all_time::varchar as realized, unranked_all_time::varchar as unranked,
    volume_30d::varchar as volume, unmatched::varchar as unmatched, n_closed::varchar as n_closed, n_won::varchar as n_won
  from marts.wallet order by address`

test.skipIf(anvil === undefined)(
  'accounts that are read by their addresses alone have the results of a chain that is read whole, to the cent',
  async () => {
    const world = await openEvmWorld({ seed: 21, size: sized(0.1, 0.1, 0.5), now_s })
    onTestFinished(world.close)
    // The blocks of the world are final beneath some empty ones.
    for (let n = 0; n < 100; n++) await world.rpc.call('evm_mine')
    const [whole, byAddress, single] = [await newLake(), await newLake(), await newLake()]
    const read = async (lake: Lake, source: string, keys: readonly string[] = []) => {
      const done = await runBackfill(chain, chainActivities(world, lake, chain), { source, keys })
      expect(done).toMatchObject({ failed: 0, quarantined: 0 })
    }
    await read(whole, 'evm_swaps')
    await read(byAddress, 'evm_accounts', world.addresses)
    const traders = [...new Set(world.ledger.trades.map(({ wallet }) => wallet))]
    const [one = ''] = traders
    await read(single, 'evm_accounts', [one])
    for (const lake of [whole, byAddress, single])
      for (const source of ['evm_tokens', 'evm_addresses']) await read(lake, source)

    const truth = await scored(whole, results)
    const found = await scored(byAddress, results)
    expect(truth.length).toBeGreaterThan(5)
    expect(found).toEqual(truth)
    // Transactions that were read both ways count once.
    await read(whole, 'evm_accounts', world.addresses)
    expect(await scored(whole, results)).toEqual(truth)
    // Of the others in its transactions, one account has no history.
    expect((await scored(single, results)).map(({ address }) => address)).toEqual([one])
  },
)
