import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { loadScoring } from '#scoring/index.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import { buildTables, createGiven } from '#test/scoring/core/wallets/tables.ts'

const given = ['core.market_states']

/** The symbols of markets by their questions. */
async function symbolsOf(questions: readonly string[]): Promise<unknown[][]> {
  const scratch = join(tmpdir(), `tapeline-markets-${process.pid}`)
  const instance = await openDuckDB({ threads: 1, memory: '512MB', scratch })
  onTestFinished(() => instance.closeSync())
  const rows = questions.map((question, n) => ({ market_id: `v:${n}`, question, is_open: true, n_outcomes: 2 }))
  await createGiven(instance, { 'core.market_states': rows }, given)
  await buildTables(instance, await loadScoring(), ['core.markets'], given)
  return withConnection(instance, async (connection) => {
    const reader = await connection.runAndReadAll(
      'select question, symbols, n_outcomes from core.markets order by market_id',
    )
    return reader.getRowsJson()
  })
}

test('a market has the assets that its question names, each once and in order', async () => {
  const questions = ['Will Bitcoin or $ETH reach a new high, or $BTC fall?', 'Will the Lakers win?', 'Will $SOL rise?']
  expect(await symbolsOf(questions)).toEqual([
    [questions[0], ['BTC', 'ETH'], '2'],
    [questions[1], [], '2'],
    [questions[2], ['SOL'], '2'],
  ])
})
