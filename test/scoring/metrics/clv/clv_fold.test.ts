import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { runFold } from '#builder/run_fold.ts'
import { clvShrinkage } from '#scoring/metrics/clv/clv_shrinkage.ts'
import { discoveryRates, type Tested } from '#scoring/metrics/clv/discovery_rates.ts'
import { shrink } from '#scoring/metrics/clv/shrinkage.ts'
import { summarize } from '#scoring/metrics/clv/summarize.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'

type Row = { trader: number; kind: string; range: string; day: number; edge: number; risk: number }

/** The fold over a table of clusters, in the order given, on so many threads. */
async function fold(rows: readonly Row[], threads: number, distrusted = '') {
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
          edge_points decimal(18, 12), risk_usd decimal(38, 6), maker_usd decimal(38, 6), price_variance double);
        create table metrics.trader_styles as select trader_index, case trader_index % 3 when 0 then 'poster' else 'taker' end
          as role, 0.5 as both_sides_share, 0.25 as net_share from core.ledger_traders;
        create table metrics.clv_guards as select kind, kind <> '${distrusted}' as is_held
          from (values ('event_start'), ('markout_24h')) as t (kind)`)
      const values = rows.map(
        ({ trader, kind, range, day, edge, risk }) =>
          `('trader ${trader}', '${kind}', '${range}', '', date '2026-01-01' + ${day}, ${edge.toFixed(12)},
            ${risk.toFixed(6)}, ${trader % 3 === 0 ? risk.toFixed(6) : 0}, 0.25)`,
      )
      await connection.run(`insert into metrics.clv_clusters values ${values.join(', ')}`)
      await runFold(instance, clvShrinkage)
      const read = async (table: string) =>
        (await connection.runAndReadAll(`from metrics.${table} order by all`)).getRowObjectsJson()
      return { shrunk: await read('clv_shrunk'), priors: await read('clv_priors'), rates: await read('clv_rates') }
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

  const tested = (
    shrunk: Record<string, unknown>[],
    range: string,
    kinds: readonly string[],
  ): Map<number, Tested[]> => {
    const tests = new Map<number, Tested[]>()
    for (const row of shrunk) {
      if (row['range'] !== range || !kinds.includes(String(row['kind']))) continue
      const trader = Number(row['trader_index'])
      const test = { p_above: Number(row['p_above']), p_below: Number(row['p_below']), n_eff: Number(row['n_eff']) }
      tests.set(trader, [...(tests.get(trader) ?? []), test])
    }
    return new Map([...tests].toSorted(([a], [b]) => a - b))
  }

  test.each([
    ['', ['event_start', 'markout_24h']],
    ['markout_24h', ['event_start']],
  ])('tests the traders of a range over the trusted kinds together; distrusted: "%s"', async (distrusted, kinds) => {
    const { shrunk, rates } = await fold(
      rows.filter(({ trader, kind }) => kind === 'markout_24h' || trader % 2 === 0),
      2,
      distrusted,
    )
    expect(rates.filter(({ q }) => q !== null).length).toBeGreaterThan(30)
    for (const range of ['all', '90d', '30d']) {
      const tests = tested(shrunk, range, kinds)
      const expected = discoveryRates([...tests.values()])
      const found = rates
        .filter((row) => row['range'] === range)
        .toSorted((a, b) => Number(a['trader_index']) - Number(b['trader_index']))
      expect(found).toEqual([...tests.keys()].map((trader_index, i) => ({ range, trader_index, ...expected[i] })))
    }
  })

  test('scores kinds and windows apart, each as the plain function does', async () => {
    const { shrunk, priors } = await fold(rows, 2)
    expect(priors).toHaveLength(6)
    for (const kind of ['event_start', 'markout_24h']) {
      for (const range of ['all', '90d', '30d']) {
        const own = rows.filter((row) => row.kind === kind && row.range === range)
        const traders = [...new Set(own.map(({ trader }) => trader))].toSorted((a, b) => a - b)
        const summaries = traders.map((trader) => ({
          ...summarize(
            own
              .filter((row) => row.trader === trader)
              .toSorted((a, b) => a.day - b.day)
              .map(({ edge, risk }) => ({
                edge_points: Number(edge.toFixed(12)),
                risk_usd: Number(risk.toFixed(6)),
                maker_usd: trader % 3 === 0 ? Number(risk.toFixed(6)) : 0,
                price_variance: 0.25,
              })),
          ),
          role: trader % 3 === 0 ? ('poster' as const) : ('taker' as const),
          both_sides_share: 0.5,
          net_share: 0.25,
        }))
        const scores = shrink(summaries)?.scores ?? []
        const found = shrunk.filter((row) => row['kind'] === kind && row['range'] === range)
        expect(found.map((row) => [row['trader_index'], row['clv_points'], row['skill_se'], row['n_eff']])).toEqual(
          scores.map(({ clv_points, skill_se, n_eff }, index) => [traders[index], clv_points, skill_se, n_eff]),
        )
      }
    }
  })
})
