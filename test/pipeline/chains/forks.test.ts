import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { z } from 'zod'

import { buildMarts } from '#builder/build.ts'
import type { Lake } from '#lake/lake.ts'
import { latestSnapshot } from '#lake/snapshot.ts'
import { loadScoring } from '#scoring/index.ts'
import { tradesOf } from '#sim/chains/simulated_chain.ts'
import { createRandom } from '#sim/random.ts'
import { newLake } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'
import { followRound, runBackfill } from '#test/sources/evm/swaps/runs.ts'
import { swapsWorld, type SwapsWorld } from '#test/sources/evm/swaps/swaps_world.ts'

const models = await loadScoring()
const rowShape = z.object({ line: z.string() })

/** The trades of a build of a snapshot of the lake. */
async function builtTrades(lake: Lake & { home: string }, world: SwapsWorld, lakeSnapshot: number): Promise<string[]> {
  const settings = { models, asOf: world.now(), threads: 1, memory: '1GB', now: world.now, lakeSnapshot }
  const { derived } = await buildMarts(lake, 'scores', settings)
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  const read = await connection.runAndReadAll(
    `select concat_ws(' ', block, tx, wallet, amount_sold, token_sold, amount_bought, token_bought) as line
     from '${join(lake.home, derived)}/core/trades.parquet' order by block, tx`,
  )
  connection.closeSync()
  instance.closeSync()
  return z
    .array(rowShape)
    .parse(read.getRowObjectsJson())
    .map(({ line }) => line)
}

/** The true trades of the chain as it is now, in the form of `builtTrades`. */
const trueLines = (world: SwapsWorld): string[] =>
  Array.from({ length: world.head() + 1 }, (_, block) => tradesOf(world.chain(), block))
    .flat()
    .map(({ block, tx, wallet, amount_sold, token_sold, amount_bought, token_bought }) =>
      [block, tx, wallet, amount_sold, token_sold, amount_bought, token_bought].join(' '),
    )

test('no build between the commits of a reorganization shows a trade that neither fork holds', async () => {
  // Units have 100 blocks and 65 blocks may be replaced, so each reorganization rewrites two units.
  const world = swapsWorld({ slug: 'ethereum', head: 130 })
  const random = createRandom(23, 1)
  const lake = await newLake()
  const activities = world.activities(lake)
  await runBackfill(world, activities)
  let n_between = 0
  for (let n = 0; n < sized(1, 1, 4); n++) {
    const before = { trades: trueLines(world), snapshot: await latestSnapshot(lake.catalog) }
    world.reorg(45 + random.below(20), 1 + random.below(4))
    expect(await followRound(world, activities)).toBeNull()
    const after = trueLines(world)
    const last = await latestSnapshot(lake.catalog)
    const held = new Set([...before.trades, ...after])
    for (let snapshot = before.snapshot; snapshot <= last; snapshot++) {
      const shown = await builtTrades(lake, world, snapshot)
      expect(shown.filter((line) => !held.has(line))).toEqual([])
      expect(new Set(shown).size).toBe(shown.length)
      const isOfOne = [before.trades, after].some((fork) => fork.join() === shown.join())
      if (!isOfOne) n_between += 1
    }
    expect(await builtTrades(lake, world, last)).toEqual(after)
  }
  // Some builds were of one unit of each fork.
  expect(n_between).toBeGreaterThan(0)
})
