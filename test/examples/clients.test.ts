import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { findClient, newest, oldest } from '#scripts/python/clients.ts'
import { truth } from '#sim/markets/true_ledger.ts'

import { loadExamples, openExported, sqlOf, world, type ExportedWorld } from './exported.ts'

const examples = await loadExamples()
const notebook = await findClient(newest)
const clients = [
  { version: oldest.version, python: await findClient(oldest) },
  { version: newest.version, python: notebook },
]
for (const { version, python } of clients)
  if (python === undefined)
    console.warn(`skipped: DuckDB ${version} is missing; npx tsx scripts/python/install.ts installs it`)
const notebookFile = resolve(import.meta.dirname, '..', '..', 'examples', 'analysis.ipynb')

let exported: ExportedWorld
let folder: string
beforeAll(async () => {
  exported = await openExported()
  folder = mkdtempSync(join(tmpdir(), 'tapeline-clients-'))
})
afterAll(async () => {
  await exported.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The JSON that a Python script of this folder prints; its settings lie in a folder of the test. */
function printed(python: string, script: string, args: string[], input = ''): unknown {
  const env = { ...process.env, HOME: folder, IPYTHONDIR: folder, MPLCONFIGDIR: folder }
  const options = { input, env, maxBuffer: 2 ** 28, stdio: ['pipe' as const, 'pipe' as const, 'ignore' as const] }
  return JSON.parse(execFileSync(python, [join(import.meta.dirname, script), ...args], options).toString())
}

const first = async (name: string, column: string): Promise<string> =>
  String((await exported.ask(sqlOf(examples, name)))[0]?.[column])

describe('the exported file', () => {
  it('explains a trader and a market', async () => {
    const [trader, market] = [await first('equity_curve', 'trader'), await first('holders', 'market_id')]
    expect(await exported.ask(`from core.explain_wallet('${trader}')`)).not.toEqual([])
    expect(await exported.ask(`from core.explain_market('${market}')`)).not.toEqual([])
  })

  for (const { version, python } of clients)
    it.skipIf(python === undefined)(
      `answers the same in DuckDB ${version}, and says the same of its columns`,
      async () => {
        const [trader, market] = [await first('equity_curve', 'trader'), await first('holders', 'market_id')]
        // The words of `what` round doubles, which the versions do differently.
        const asked = [
          `select * exclude (what) from core.explain_wallet('${trader}')`,
          `select * exclude (what) from core.explain_wallet('${trader}', only_part := 'fill', since := '2026-09-01')`,
          `select * exclude (what) from core.explain_market('${market}')`,
          `from core.holders('${market}', instant := '2026-09-01')`,
          `from core.pnl_by_day('${trader}')`,
          `from core.volume('${market}')`,
          `select schema_name, table_name, column_name, comment from duckdb_columns() where not internal order by all`,
          `select schema_name, table_name, comment from duckdb_tables() where not internal order by all`,
        ]
        // Each engine writes the values as text, so that no client's types are compared.
        const queries = [...examples.map(({ sql }) => sql), ...asked].map(
          (sql) => `select columns(*)::varchar from (${sql}\n)`,
        )
        const answer = printed(python ?? '', 'client.py', [exported.file], JSON.stringify(queries))
        const { version: own, answers } = answer as { version: string; answers: unknown[][][] }
        expect(own).toBe(version)
        for (const [index, query] of queries.entries()) {
          const rows = (await exported.ask(query)).map((row) => Object.values(row))
          expect(rows.length, query).toBeGreaterThan(0)
          expect(answers[index], query).toEqual(rows)
        }
      },
    )
})

describe('the notebook', () => {
  it('has no outputs, which would be those of one installation', () => {
    const { cells } = JSON.parse(readFileSync(notebookFile, 'utf8')) as { cells: { outputs?: unknown[] }[] }
    expect(cells.length).toBeGreaterThan(10)
    expect(cells.flatMap(({ outputs }) => outputs ?? [])).toEqual([])
  })

  it.skipIf(notebook === undefined)('runs from the first cell to the last, and shows true figures', async () => {
    const output = printed(notebook ?? '', 'run_notebook.py', [notebookFile, exported.file])
    const { texts, n_plots } = output as { texts: string[]; n_plots: number }
    expect(n_plots).toBe(4)
    const trader = await first('equity_curve', 'trader')
    const pnl = (Number(truth(world, world.now).get(trader)?.pnl.all) / 1e6).toFixed(2)
    const figures = /(0x[0-9a-f]+): (-?[\d.]+) USD on [\d-]+, profile (-?[\d.]+) USD/.exec(texts.join('\n'))
    expect(figures?.slice(1)).toEqual([trader, pnl, pnl])
    expect(texts.join('\n')).toContain('Shares held after the move')
  })
})
