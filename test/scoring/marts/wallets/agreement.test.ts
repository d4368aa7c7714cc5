import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'

import type { Model } from '#builder/model.ts'
import { differentRows } from '#scripts/agreement/different_rows.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import { sized } from '#test/run/sized.ts'
import { monies, trade } from '#test/scoring/core/wallets/run.ts'
import { buildTables, createGiven, loadWalletModels, type Rows } from '#test/scoring/core/wallets/tables.ts'

const hour = (n: number): string => new Date(Date.UTC(2026, 9, 1, n)).toISOString().slice(0, 19).replace('T', ' ')

/** Wallets that close ten tokens at any result, some of which have a thin price or little depth. */
const worlds = fc
  .record({
    sales: fc.array(fc.record({ usd: fc.integer({ min: 1, max: 900 }), hours: fc.integer({ min: 5, max: 1_100 }) }), {
      minLength: 30,
      maxLength: 30,
    }),
    isThin: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
  })
  .map(({ sales, isThin }): Rows => {
    const trades = sales.flatMap(({ usd, hours }, n) => {
      const [wallet, token] = [`0x${Math.floor(n / 10)}`, `t${n % 10}`]
      const more = { wallet, token, tx_index: n }
      return [
        trade('buy', 1, hour(0), { ...more, usd: 100, gas_usd: 1 }),
        trade('sell', 2 + hours, hour(hours), { ...more, usd, gas_usd: 2 }),
      ]
    })
    const prices = trades.map(({ ts = null }, n) => ({ chain: 'base', token: `t${Math.floor(n / 2) % 10}`, ts }))
    const depths = prices.map((price) => {
      const is_thin = isThin[Number(price.token.slice(1))] ?? false
      return { ...price, n_pools: is_thin ? 1 : 2, depth_usd: 500, is_thin }
    })
    return {
      'core.clock': [{ as_of: '2026-11-20 12:00:00' }],
      'core.tokens': monies,
      'core.trades': trades,
      'core.prices': depths,
    }
  })

const opening = openDuckDB({ threads: 1, memory: '1GB', scratch: join(tmpdir(), `tapeline-agreement-${process.pid}`) })
let models: Model[]
beforeAll(async () => {
  models = await loadWalletModels()
})

/** The rows of the leaderboard of a world, those that are not as in the profiles, and those with an unranked result. */
async function compare(world: Rows, list: readonly Model[]) {
  const instance = await opening
  await createGiven(instance, world)
  await buildTables(instance, [...list], ['marts.discover', 'marts.wallet'])
  return withConnection(instance, async (connection) => {
    const count = async (sql: string): Promise<number> =>
      Number((await connection.runAndReadAll(`select count(*) from (${sql})`)).getRows()[0]?.[0])
    return {
      n_unranked: await count('from marts.discover where unranked_30d <> 0'),
      n_different: await count(differentRows),
    }
  })
}

test('each row of the leaderboard has the figures of the profile, unranked results apart', async () => {
  let n_unranked = 0
  for (const world of fc.sample(worlds, { numRuns: sized(6, 12, 100), seed: 31 })) {
    const compared = await compare(world, models)
    expect(compared.n_different).toBe(0)
    n_unranked += compared.n_unranked
  }
  expect(n_unranked).toBeGreaterThan(0)
})

test('a leaderboard that computes a result in its own way is found', async () => {
  const discover = models.find(({ layer, name }) => layer === 'marts' && name === 'discover')
  if (discover?.kind !== 'sql') throw new Error('marts.discover: no model; expected one of SQL')
  const [world = {}] = fc.sample(worlds, { numRuns: 1, seed: 32 })
  for (const planted of ['m.realized_usd + m.unranked_usd', 'm.realized_usd - m.unranked_usd', 'r.realized_usd']) {
    const others = models.filter((model) => model !== discover)
    const sql = discover.sql.replace(
      'm.realized_usd::decimal(38, 2) as pnl_30d',
      `(${planted})::decimal(38, 2) as pnl_30d`,
    )
    expect(sql).not.toBe(discover.sql)
    expect((await compare(world, [...others, { ...discover, sql }])).n_different, planted).toBeGreaterThan(0)
  }
})
