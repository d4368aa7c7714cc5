import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { datasets } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import type { TrueTrade } from '#sim/evm/types.ts'
import { openEvmWorld, type EvmWorld } from '#sim/evm/world.ts'
import { createRandom } from '#sim/random.ts'
import { newLake } from '#test/lake/fixture.ts'
import { anvil } from '#test/run/anvil.ts'
import { sized } from '#test/run/sized.ts'
import { tradesIn, type ChainRows, type Found } from '#test/sim/evm/read_chain.ts'
import { followRound, runBackfill } from '#test/sources/evm/swaps/runs.ts'

import { chainActivities } from './chain_house.ts'

const now_s = 1_790_000_000
/** The readers of the chain are at the end of the world's time. */
const chain = { slug: 'ethereum', now: () => (now_s + 86_400) * 1_000_000 }

const names = ['transactions', 'swaps', 'transfers', 'user_operations', 'pools'] as const
const rowShape = z.looseObject({ tx: z.string().default(''), block: z.coerce.number().default(0) })

/** The rows of the lake, with whole amounts. */
const rowsIn = (lake: Lake): Promise<ChainRows> =>
  lake.read(async ({ query }) => {
    const rows: Record<string, unknown[]> = {}
    for (const name of names) {
      const amounts = Object.keys(datasets[name].columns).filter((column) => column.startsWith('amount'))
      const casts = amounts.map((column) => `${column}::varchar as ${column}`).join(', ')
      const found = await query(`select * replace (${casts || 'chain as chain'}) from lake.${name}`, rowShape)
      const whole = (column: string, value: unknown) =>
        amounts.includes(column) && typeof value === 'string' ? BigInt(value) : value
      rows[name] = found.map((row) =>
        Object.fromEntries(Object.entries(row).map(([column, value]) => [column, whole(column, value)])),
      )
    }
    return rows as unknown as ChainRows
  })

const lineOf = ({
  tx,
  wallet,
  kind,
  token_sold,
  amount_sold,
  token_bought,
  amount_bought,
}: TrueTrade | Found): string =>
  `${tx} ${wallet} ${kind}: ${amount_sold} ${token_sold} -> ${amount_bought} ${token_bought}`

/** The trades of the lake are those of the world, and no other wallet has one. */
async function expectTruth(lake: Lake, { ledger, addresses }: EvmWorld): Promise<void> {
  const known = new Set<string>(addresses)
  const found = tradesIn(await rowsIn(lake)).filter(({ wallet }) => known.has(wallet))
  expect(found.map(lineOf).toSorted()).toEqual(ledger.trades.map(lineOf).toSorted())
}

test.skipIf(anvil === undefined)(
  'a real chain with real pools is read into the trades of its ledger, also after reorganizations',
  async () => {
    const world = await openEvmWorld({ seed: 21, size: sized(0.05, 0.05, 1), now_s: now_s - 5 * 86_400, ends_s: now_s })
    onTestFinished(world.close)
    const lake = await newLake()
    const activities = chainActivities(world, lake, chain)
    expect(await runBackfill(chain, activities)).toMatchObject({ failed: 0 })
    await expectTruth(lake, world)
    const random = createRandom(21, 1)
    for (let n = 0; n < sized(2, 2, 10); n++) {
      await world.reorg(1 + random.below(30))
      expect(await followRound(chain, activities)).toBeNull()
      await expectTruth(lake, world)
    }
    await world.advance(now_s)
    expect(await followRound(chain, activities)).toBeNull()
    await expectTruth(lake, world)
  },
)
