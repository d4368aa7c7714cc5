import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { truth } from '#sim/markets/true_ledger.ts'

import { loadExamples, openExported, sqlOf, world, type ExportedWorld, type Row } from './exported.ts'
import { trueCategories, trueEquity, trueFills, trueHolders, truePayouts, type TrueFill } from './true_answers.ts'

const fills = trueFills(world)
const known = truth(world, world.now)
const examples = await loadExamples()

let exported: ExportedWorld
beforeAll(async () => {
  exported = await openExported()
})
afterAll(() => exported.close())

const answer = (name: string): Promise<Row[]> => exported.ask(sqlOf(examples, name))
const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
/** A decimal of six places in millionths. */
const millionths = (value: unknown): bigint => BigInt(text(value).replace('.', ''))
const dayOf = ({ ts_s }: TrueFill): string => new Date(ts_s * 1000).toISOString().slice(0, 10)
function grouped<K>(rows: readonly TrueFill[], keyOf: (fill: TrueFill) => K): Map<K, TrueFill[]> {
  const groups = new Map<K, TrueFill[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return groups
}
const total = (rows: readonly TrueFill[], of: (fill: TrueFill) => bigint): bigint =>
  rows.reduce((sum, fill) => sum + of(fill), 0n)

describe('the examples', () => {
  it('have rows, each of the twelve', async () => {
    expect(examples).toHaveLength(12)
    for (const { name } of examples) expect((await answer(name)).length, name).toBeGreaterThan(0)
  })

  it('are listed by examples/README.md, each with a question', async () => {
    const page = await readFile(resolve(import.meta.dirname, '..', '..', 'examples', 'README.md'), 'utf8')
    const linked = [...page.matchAll(/\((\w+)\.sql\)/g)].map(([, name]) => name)
    expect(new Set(linked)).toEqual(new Set(examples.map(({ name }) => name)))
    expect(examples.filter(({ question }) => question.trim() === '')).toEqual([])
  })

  it('holders: are those of the true ledger', async () => {
    const rows = await answer('holders')
    const at_s = Date.parse(`${text(rows[0]?.['at_ts']).replace(' ', 'T')}Z`) / 1000
    const true_ = trueHolders(world, text(rows[0]?.['market_id']), at_s)
    const complete = rows.filter((row) => row['is_complete'] === true)
    expect(complete.length).toBeGreaterThan(5)
    const isListed = new Set(complete.map((row) => row['trader']))
    const shown = complete.map((row) => [`${text(row['trader'])} ${text(row['label'])}`, millionths(row['size'])])
    expect(Object.fromEntries(shown)).toEqual(
      Object.fromEntries([...true_].filter(([key]) => isListed.has(key.split(' ')[0]))),
    )
  })

  it('core.holders: are those of the true ledger in other markets, of groups too', async () => {
    const chosen = await exported.ask(
      `select market_id, neg_risk_id is not null as is_grouped, at_ts
       from (select market_id, count(*) as n, quantile_disc(ts, 0.5)::varchar as at_ts from core.fills group by market_id)
       join core.markets using (market_id)
       qualify row_number() over (partition by is_grouped order by n desc, market_id) <= 3`,
    )
    expect(new Set(chosen.map((row) => row['is_grouped']))).toEqual(new Set([true, false]))
    for (const { market_id, at_ts } of chosen) {
      const rows = await exported.ask(`from core.holders('${text(market_id)}', instant := '${text(at_ts)}')`)
      const complete = rows.filter((row) => row['is_complete'] === true)
      const shown = complete.map((row) => [`${text(row['trader'])} ${text(row['label'])}`, millionths(row['size'])])
      const incomplete = await exported.ask(
        `select p.trader || ' ' || o.label as key from core.positions p join core.outcomes o using (market_id, outcome)
         where not p.is_complete and p.market_id = '${text(market_id)}'`,
      )
      const isUnknown = new Set(incomplete.map(({ key }) => key))
      const true_ = trueHolders(world, text(market_id), Date.parse(`${text(at_ts).replace(' ', 'T')}Z`) / 1000)
      expect(shown.length, text(market_id)).toBeGreaterThan(3)
      expect(Object.fromEntries(shown)).toEqual(Object.fromEntries([...true_].filter(([key]) => !isUnknown.has(key))))
    }
  })

  it('equity_curve: is the true result by the end of its days', async () => {
    const rows = await answer('equity_curve')
    const step = Math.ceil(rows.length / 6)
    const sample = rows.filter((_, index) => index % step === 0 || index === rows.length - 1)
    expect(sample.length).toBeGreaterThan(3)
    for (const { trader, day, equity_usd } of sample)
      expect(millionths(equity_usd), text(day)).toBe(trueEquity(world, text(trader), text(day)))
    const days = await exported.ask(`from core.pnl_by_day('${text(rows[0]?.['trader'])}')`)
    expect(days.map((row) => [row['place'], row['day'], row['equity_usd']])).toEqual(
      rows.map((row) => ['polymarket', row['day'], row['equity_usd']]),
    )
  })

  it('win_rate_by_price: counts the true fills and payouts', async () => {
    const payouts = truePayouts(world)
    const bought = fills.filter(({ isBuy, market }) => isBuy && payouts.has(market))
    const rows = await answer('win_rate_by_price')
    const n = rows.reduce((sum, row) => sum + Number(row['n_fills']), 0)
    expect(n).toBe(bought.length)
    const size = rows.reduce((sum, row) => sum + millionths(row['size']), 0n)
    expect(size).toBe(total(bought, (fill) => fill.size))
    const paid = total(bought, ({ market, outcome, size: shares }) => {
      return (shares * BigInt(payouts.get(market)?.[outcome] ?? 0)) / 1_000_000n
    })
    const shown = rows.reduce((sum, row) => sum + Number(row['win_rate']) * Number(row['size']), 0)
    // Rates are rounded to six places.
    expect(shown / (Number(size) / 1e6)).toBeCloseTo(Number(paid) / Number(size), 5)
  })

  it('pnl_by_category: is the true cash of the trader', async () => {
    const rows = await answer('pnl_by_category')
    const shown = rows.map((row) => [row['category'], millionths(row['pnl_usd'])] as const)
    expect(new Map(shown)).toEqual(trueCategories(world, text(rows[0]?.['trader'])))
    expect(shown.length).toBeGreaterThan(1)
  })

  it('volume_counted_once: is the cash of the takers', async () => {
    const expected = grouped(fills, ({ market }) => market)
    const rows = await answer('volume_counted_once')
    expect(new Set(rows.map((row) => row['market_id']))).toEqual(new Set(expected.keys()))
    for (const { market_id, volume_usd, all_fills_usd } of rows) {
      const own = expected.get(text(market_id)) ?? []
      const taken = own.filter(({ isTaker }) => isTaker)
      expect(millionths(volume_usd)).toBe(total(taken, (fill) => fill.cash))
      expect(millionths(all_fills_usd)).toBe(total(own, (fill) => fill.cash))
    }
    const [{ market_id, volume_usd } = {}] = rows
    const days = await exported.ask(`from core.volume('${text(market_id)}')`)
    expect(days.length).toBeGreaterThan(5)
    expect(days.reduce((sum, row) => sum + millionths(row['volume_usd']), 0n)).toBe(millionths(volume_usd))
  })

  it('top_traders: have their true results to the millionth, the best first', async () => {
    const rows = await answer('top_traders')
    expect(rows.length).toBeGreaterThan(20)
    for (const { trader, realized_usd, n_closed, n_won } of rows) {
      const { pnl, closed, won } = known.get(text(trader)) ?? {}
      expect([Number(n_closed), Number(n_won)]).toEqual([closed?.all, won?.all])
      expect(millionths(realized_usd), text(trader)).toBe(pnl?.all)
    }
    const results = rows.map((row) => Number(row['realized_usd']))
    expect(results).toEqual(results.toSorted((a, b) => b - a))
  })

  it('price_candles: have the true highest and lowest price and volume', async () => {
    const rows = await answer('price_candles')
    const [{ market_id, outcome } = {}] = rows
    const own = fills.filter((fill) => fill.isTaker && fill.market === market_id && fill.outcome === outcome)
    const hourOf = ({ ts_s }: TrueFill): number => Math.floor(ts_s / 3600)
    const hours = grouped(own, hourOf)
    expect(rows.length).toBe(hours.size)
    for (const row of rows) {
      const hour = hours.get(Date.parse(`${text(row['hour_at']).replace(' ', 'T')}Z`) / 3_600_000) ?? []
      expect(millionths(row['volume_usd'])).toBe(total(hour, (fill) => fill.cash))
      const prices = hour.map(({ cash, size }) => Number(cash) / Number(size))
      expect(Number(row['high_usd'])).toBeCloseTo(Math.max(...prices), 3)
      expect(Number(row['low_usd'])).toBeCloseTo(Math.min(...prices), 3)
    }
  })

  it('active_traders: are the true traders of each day', async () => {
    const days = grouped(fills, dayOf)
    const shown = (await answer('active_traders')).map((row) => [row['day'], Number(row['n_traders'])])
    const expected = [...days].map(([day, own]) => [day, new Set(own.map(({ trader }) => trader)).size] as const)
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(expected))
  })
})

describe('the exported file', () => {
  it('holds tables alone, with the comments of the copy', async () => {
    const rows = await exported.ask(
      `select schema_name || '.' || table_name as name, comment from duckdb_tables() where not internal`,
    )
    expect(rows.length).toBeGreaterThan(60)
    expect(rows.filter(({ comment }) => comment === null)).toEqual([])
    expect(await exported.ask('select * from duckdb_views() where not internal')).toEqual([])
  })

  it('says the meaning of each column', async () => {
    const columns = await exported.ask(
      `select table_name || '.' || column_name as name, comment from duckdb_columns() where not internal`,
    )
    expect(columns.length).toBeGreaterThan(900)
    expect(columns.filter(({ comment }) => comment === null)).toEqual([])
  })

  it('names the markets and traders that builds number', async () => {
    const unnamed = await exported.ask(
      `select table_name from duckdb_columns() where not internal group by table_name
       having (bool_or(column_name = 'market_index') and not bool_or(column_name = 'market_id'))
         or (bool_or(column_name = 'trader_index') and not bool_or(column_name = 'trader'))`,
    )
    expect(unnamed).toEqual([])
    const [{ n, n_other } = {}] = await exported.ask(
      `select count(*)::integer as n, count(*) filter (p.market_id <> m.market_id or p.trader <> t.trader)::integer as n_other
       from core.prints p
       join core.ledger_markets m using (market_index)
       left join core.ledger_traders t using (trader_index)`,
    )
    expect(Number(n)).toBeGreaterThan(100)
    expect(n_other).toBe(0)
  })
})
