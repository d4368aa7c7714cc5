import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import { monies, run, trade } from '#test/scoring/core/wallets/run.ts'
import { createGiven, loadWalletModels } from '#test/scoring/core/wallets/tables.ts'

const trades = [
  trade('buy', 1, '2026-11-19 10:00:01', { usd: 100 }),
  trade('buy', 2, '2026-11-19 10:00:02', { usd: 100 }),
  trade('sell', 3, '2026-11-19 10:00:30', { usd: 99 }),
  trade('sell', 4, '2026-11-19 10:00:30', { usd: 98 }),
  trade('sell', 4, '2026-11-19 10:00:30', { usd: 97, seq: 1 }),
]

test('a wash counts once, also after two purchases', async () => {
  const rows = await run('metrics.wallet_rhythm', { 'core.trades': trades, 'core.tokens': monies })
  expect(rows).toMatchObject([{ wallet: '0xa', n_washes: 3 }])
})

test('no join compares all pairs of trades', async () => {
  const model = (await loadWalletModels()).find(({ name }) => name === 'wallet_rhythm')
  const instance = await openDuckDB({ threads: 1, memory: '1GB', scratch: join(tmpdir(), `tapeline-${process.pid}`) })
  await createGiven(instance, { 'core.trades': trades, 'core.tokens': monies })
  const plan = await withConnection(instance, async (connection) =>
    String((await connection.runAndReadAll(`explain ${model?.sql ?? ''}`)).getRows()),
  )
  instance.closeSync()
  expect(plan).toContain('HASH_JOIN')
  expect(plan).not.toMatch(/NL_JOIN|NESTED_LOOP_JOIN/)
})
