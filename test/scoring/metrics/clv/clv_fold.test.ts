import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { runFold } from '#builder/run_fold.ts'
import { clvShrinkage } from '#scoring/metrics/clv/clv_shrinkage.ts'
import { shrink } from '#scoring/metrics/clv/shrinkage.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import { falseDiscoveryRates } from '#test/oracle/clv/false_discoveries.ts'

type Row = { trader: number; kind: string; range: string; day: number; edge: number; risk: number }

/** The fold over a table of clusters, in the order given, on so many threads. */
async function fold(rows: readonly Row[], threads: number) {
  const instance = await openDuckDB({
    threads,
    memory: '500MB',
    scratch: join(tmpdir(), `tapeline-clv-${process.pid}`),
  })
  try {
    return await withConnection(instance, async (connection) => {
      await connection.run(`
        create schema core; create schema metrics;
        create table core.ledger_traders as select range::integer as trader_index, 'trader ' || range as trader from range(40);
        create table metrics.clv_clusters (trader varchar, kind varchar, range varchar, category varchar, day date,
          edge_points decimal(18, 12), risk_usd decimal(38, 6), maker_usd decimal(38, 6), price_variance double)`)
      const values = rows.map(
        ({ trader, kind, range, day, edge, risk }) =>
          `('trader ${trader}', '${kind}', '${range}', '', date '2026-01-01' + ${day}, ${edge.toFixed(12)},
            ${risk.toFixed(6)}, 0, 0.25)`,
      )
      await connection.run(`insert into metrics.clv_clusters values ${values.join(', ')}`)
      await runFold(instance, clvShrinkage)
      const read = async (table: string) =>
        (await connection.runAndReadAll(`from metrics.${table} order by all`)).getRowObjectsJson()
      return { shrunk: await read('clv_shrunk'), priors: await read('clv_priors') }
    })
  } finally {
    instance.closeSync()
  }
}

describe('the fold', () => {
  const rows: Row[] = Array.from({ length: 6000 }, (_, n) => ({
    trader: (n * 7) % 40,
    kind: n % 3 === 0 ? 'markout_24h' : 'event_start',
    range: ['all', '90d', '30d'][Math.floor(n / 3) % 3] as string,
    day: n,
    edge: 10 * Math.sin(n * n) + ((n * 7) % 5),
    risk: 1 + 100 * Math.abs(Math.cos(n)),
  }))

  test('gives the same digits whatever the order of its input and the number of threads', async () => {
    const first = await fold(rows, 1)
    const shuffled = rows.map((_, n) => rows[(n * 701 + 13) % rows.length] as Row)
    expect(await fold(shuffled, 4)).toEqual(first)
    expect(first.shrunk.length).toBeGreaterThan(100)
  })

  test('tests a trader by the kind of the served score alone', async () => {
    const { shrunk } = await fold(
      rows.filter(({ trader, kind }) => kind === 'markout_24h' || trader % 2 === 0),
      2,
    )
    const of = (kind: string) => shrunk.filter((row) => row['kind'] === kind && row['range'] === 'all')
    const nameOf = (row: (typeof shrunk)[number]): string => `t${Number(row['trader_index'])}`
    const starters = of('event_start').filter(({ n_eff }) => Number(n_eff) >= 10)
    const markouts = of('markout_24h')
    const expected = falseDiscoveryRates(
      markouts.map((row) => ({
        trader: nameOf(row),
        xbar: Number(row['raw']),
        v: Number(row['v']),
        n_eff: Number(row['n_eff']),
      })),
      new Set(starters.map(nameOf)),
    )
    expect(expected.filter(({ wide }) => wide === null).length).toBeGreaterThanOrEqual(20)
    expect(expected.filter(({ wide }) => wide !== null).length).toBeGreaterThan(10)
    for (const [i, { q_wide }] of markouts.entries()) {
      const wide = expected[i]?.wide ?? null
      if (wide === null) expect(q_wide).toBeNull()
      else expect(q_wide).toBeCloseTo(wide, 9)
    }
  })

  test('scores kinds and windows apart, each as the plain function does', async () => {
    const { shrunk, priors } = await fold(rows, 2)
    expect(priors).toHaveLength(6)
    for (const kind of ['event_start', 'markout_24h']) {
      for (const range of ['all', '90d', '30d']) {
        const own = rows.filter((row) => row.kind === kind && row.range === range)
        const traders = [...new Set(own.map(({ trader }) => trader))].toSorted((a, b) => a - b)
        const clusters = traders.map((trader) =>
          own
            .filter((row) => row.trader === trader)
            .toSorted((a, b) => a.day - b.day)
            .map(({ edge, risk }) => ({
              edge_points: Number(edge.toFixed(12)),
              risk_usd: Number(risk.toFixed(6)),
              maker_usd: 0,
              price_variance: 0.25,
            })),
        )
        const scores = shrink(clusters)?.scores ?? []
        const found = shrunk.filter((row) => row['kind'] === kind && row['range'] === range)
        expect(found.map(({ trader_index, clv, se, n_eff }) => [trader_index, clv, se, n_eff])).toEqual(
          scores.map(({ clv_points, se, n_eff }, index) => [traders[index], clv_points, se, n_eff]),
        )
      }
    }
  })
})
