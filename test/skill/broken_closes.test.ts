import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { closeGuards, describeGuards } from '#bin/report/close_guards.ts'
import { createWorld } from '#sim/markets/world.ts'
import { fileDigest } from '#snapshots/digest.ts'
import { literal } from '#storage/duckdb.ts'
import { openFolder } from '#storage/folder.ts'
import { flip, writeSnapshot } from '#test/api/fixture.ts'
import { startService, type Service } from '#test/api/service.ts'
import { report } from '#validation/report.ts'

import { scoreWorld, type Tamper } from './build.ts'
import { settleBefore } from './planted_closes.ts'
import { gatherWorld, readAccounts } from './validated.ts'

const world = createWorld({ seed: 21, scale: 0.15 })
const tables = ['marts.pm_traders', 'marts.pm_wallet', 'marts.clv_guards']

let service: Service
beforeAll(async () => {
  service = await startService()
}, 600_000)
afterAll(() => service.stop())

/** Serves the scores of the world from a snapshot of this name; returns a listed trader. */
async function serve(name: string, plant: Tamper): Promise<string> {
  const tamper: Tamper = async (connection) => {
    await readAccounts(connection)
    await plant(connection)
  }
  await writeSnapshot(service.dir, name)
  const path = join(service.dir, `scores-${name}.duckdb`)
  const trader = await scoreWorld({ world, at: world.now, wanted: tables, tamper }, async (connection) => {
    await connection.run(`attach ${literal(path)} as snapshot`)
    for (const table of tables) await connection.run(`create or replace table snapshot.${table} as from ${table}`)
    await connection.run('checkpoint snapshot; detach snapshot')
    const rows = await connection.runAndReadAll(
      `select address from marts.pm_wallet where unlisted_code is null and clv_kind is not null
      order by clv_n_eff desc, address limit 1`,
    )
    return String(rows.getRows()[0]?.[0])
  })
  await writeFile(join(service.dir, `scores-${name}.sha256`), await fileDigest(path))
  await flip(service.dir, name)
  await service.marts.refresh()
  expect(service.marts.fault()).toBeNull()
  return trader
}

const listed = async () => {
  const { status, items, headers } = await service.ask('/v1/pm-traders?sort=clv&range=all')
  expect(status).toBe(200)
  return { n: items.length, coverage: headers['x-coverage'] }
}
const states = async () => describeGuards(await closeGuards(openFolder(service.home)))

test('closes as they are have a list', async () => {
  await serve('held', async () => {})
  const { n, coverage } = await listed()
  expect(n).toBeGreaterThan(20)
  expect(coverage).toBe('complete')
  expect((await states()).filter((line) => line.includes('broken'))).toEqual([])
}, 600_000)

describe('closes that are payouts', () => {
  let trader = ''
  beforeAll(async () => {
    trader = await serve('broken', settleBefore)
  }, 600_000)

  test('empty the list, and X-Coverage of the list and of a profile says why', async () => {
    const { n, coverage } = await listed()
    expect(n).toBe(0)
    for (const kind of ['event_start', 'markout_24h']) expect(coverage).toMatch(new RegExp(`${kind}: [^;]*extreme`))
    expect(coverage).toMatch(/^partial; reason="closes are not trusted now/)
    const profile = await service.ask(`/v1/pm-wallet?address=${trader}`)
    expect(profile.json['pm_profile']).toMatchObject({ clv_score: 0 })
    expect(profile.headers['x-coverage']).toMatch(/^partial; reason="closes are not trusted now/)
  })

  test('call nobody sharp, fade_target or value_hunter', async () => {
    const { items } = await service.ask('/v1/pm-traders?sort=pnl&range=all&limit=200')
    const words = items.map(({ archetype }) => archetype)
    expect(words.length).toBeGreaterThan(20)
    expect(words.filter((word) => ['sharp', 'fade_target', 'value_hunter'].includes(String(word)))).toEqual([])
  })

  test('are named by status', async () => {
    const lines = await states()
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(line).toMatch(/^closes +broken, so that clv_score is missing for these closes: /)
  })

  test('are named by validate, which has nobody to rank', async () => {
    const { n_eligible, cannot } = report(await gatherWorld(world, settleBefore))
    expect(n_eligible).toBe(0)
    for (const kind of ['event_start', 'markout_24h'])
      expect(cannot.join('\n')).toContain(`The closes of ${kind} are not trusted as of T`)
  }, 600_000)
})
