import { DuckDBInstance } from '@duckdb/node-api'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { buildMarts } from '#models/build.ts'
import { loadScoring } from '#scoring/index.ts'
import { trueBooks, trueResults } from '#sim/evm/ledger/true_results.ts'
import { openEvmWorld } from '#sim/evm/world.ts'
import { runBackfill } from '#test/activities/chains/evm/swaps/runs.ts'
import { newLake } from '#test/lake/fixture.ts'
import { anvil } from '#test/run/anvil.ts'
import { sized } from '#test/run/sized.ts'

import { chainActivities } from './chain_house.ts'

const now_s = 1_790_000_000
const chain = { slug: 'ethereum', now: () => now_s * 1_000_000 }

const walletShape = z.object({
  address: z.string(),
  realized: z.coerce.number(),
  realized_30d: z.coerce.number(),
  volume_30d: z.coerce.number(),
  unmatched: z.coerce.number(),
  n_closed: z.coerce.number(),
  n_won: z.coerce.number(),
})

/** The rows of the mart of wallets. */
async function walletsIn(file: string): Promise<z.infer<typeof walletShape>[]> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const read = await connection.runAndReadAll(
    `select address, realized_all_time::varchar as realized, realized_30d::varchar as realized_30d,
       volume_30d::varchar as volume_30d, unmatched::varchar as unmatched, n_closed, n_won
     from marts.wallet where chain = 'ethereum' order by address`,
  )
  const rows = z.array(walletShape).parse(read.getRowObjectsJson())
  connection.closeSync()
  instance.closeSync()
  return rows
}

test.skipIf(anvil === undefined)(
  'every wallet of a real chain has the realized result, volume and won tokens of the true ledger, to the cent',
  async () => {
    const world = await openEvmWorld({ seed: 21, size: sized(0.1, 1), now_s })
    onTestFinished(world.close)
    const lake = await newLake()
    const activities = chainActivities(world, lake, chain)
    for (const source of ['evm_swaps', 'evm_tokens'])
      expect(await runBackfill(chain, activities, { source })).toMatchObject({ failed: 0 })
    const models = await loadScoring()
    const built = await buildMarts(lake, 'scores', {
      models,
      asOf: chain.now(),
      threads: 1,
      memory: '1GB',
      now: chain.now,
    })
    const books = trueBooks(world.ledger, world.dollar)
    const always = trueResults(books, world.dollar, { from_s: 0, to_s: now_s })
    const month = trueResults(books, world.dollar, { from_s: now_s - 30 * 86_400, to_s: now_s })
    const usd = (micros: bigint | undefined): number => Number(micros ?? 0n) / 1e6
    const wallets = await walletsIn(built.file)
    expect(wallets.map(({ address }) => address)).toEqual([...always.keys()].toSorted())
    for (const { address, ...row } of wallets) {
      const [all, recent] = [always.get(address), month.get(address)]
      expect({ address, n_closed: row.n_closed, n_won: row.n_won }).toEqual({
        address,
        n_closed: all?.n_closed,
        n_won: all?.n_won,
      })
      const differences = {
        realized: row.realized - usd(all?.realized_usd),
        realized_30d: row.realized_30d - usd(recent?.realized_usd),
        volume_30d: row.volume_30d - usd(recent?.volume_usd),
        unmatched: row.unmatched - usd(all?.unmatched_usd),
      }
      // The marts round to a cent.
      for (const [name, difference] of Object.entries(differences))
        expect(`${address} ${name} ${Math.abs(difference) < 0.0051 ? 'equal' : difference}`).toBe(
          `${address} ${name} equal`,
        )
    }
  },
)
