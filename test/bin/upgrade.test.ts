import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import Libsql from 'libsql'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { openAccounts } from '#accounts/accounts.ts'
import { createKey, findKey } from '#accounts/keys.ts'
import { runMain } from '#test/bin/run_main.ts'
import { lifeOf, newHome, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'

/**
 * A home as the version of November 2026 wrote it: a unit with three rows, a unit without rows, and a key. The files
 * stay as they are: later versions must open this home, with its key, or refuse it with the way out.
 */
const former = join(import.meta.dirname, '../fixtures/homes/format_2')

async function formerHome(): Promise<{ home: string; key: string }> {
  const home = await newHome()
  await cp(join(former, 'lake'), join(home, 'lake'), { recursive: true })
  for (const [from, to] of [
    ['catalog.sql', 'catalog.sqlite'],
    ['accounts.sql', 'accounts.db'],
  ] as const) {
    const file = new Libsql(join(home, to))
    file.exec(await readFile(join(former, from), 'utf8'))
    file.close()
  }
  return { home, key: (await readFile(join(former, 'key.txt'), 'utf8')).trim() }
}

const rowShape = z.object({ unit: z.string(), n: z.coerce.number() })

test('a home of November 2026 is opened, with its facts and its keys, and goes on', async () => {
  const { home, key } = await formerHome()
  const env = { TAPELINE_HOME: home, TAPELINE_THREADS: '1', TAPELINE_MEMORY: '256MB' }
  const status = await runMain(['status', '--json'], env)
  expect(status.code).toBe(0)
  expect(JSON.parse(status.out)).toMatchObject({ world: 'real', sources: [{ source: 'polymarket_prices', rows: 3 }] })
  expect(await runMain(['verify'], env)).toMatchObject({ code: 0, out: '2 files verified, 0 faults\n' })

  const accounts = await openAccounts(join(home, 'accounts.db'))
  onTestFinished(() => accounts.destroy())
  expect(await findKey(accounts, key)).toMatchObject({ tier: 'pro' })
  const another = await createKey(accounts, { tier: 'free', now: noon })
  expect(await findKey(accounts, another)).toMatchObject({ tier: 'free' })

  const lake = await newLake({ home })
  const counts = () =>
    lake.read(({ query }) => query('select unit, n_rows as n from lake.coverage order by 1', rowShape))
  expect((await counts()).map(({ n }) => n)).toEqual([3, 0])
  await storeRows(lake, lifeOf('0xc'), { quotes: [quote('c', noon)] })
  expect((await counts()).map(({ n }) => n)).toEqual([3, 0, 1])

  const folder = join(await newHome(), 'b')
  expect((await runMain(['backup', folder], env)).code).toBe(0)
  expect((await runMain(['verify'], { ...env, TAPELINE_HOME: folder })).out).toBe('3 files verified, 0 faults\n')
})
