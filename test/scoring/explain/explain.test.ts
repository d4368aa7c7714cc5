import { getAddress } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { loadExplain } from '#scoring/index.ts'
import { truth } from '#sim/markets/true_ledger.ts'
import { createWorld } from '#sim/markets/world.ts'
import { sized } from '#test/run/sized.ts'

import { cents, inUpperCase, of, openAnalyst, sum, type Analyst, type Part } from './analyst.ts'

const day = 86_400 * 1_000_000
const world = createWorld({ seed: 5, scale: sized(0.03, 0.03, 0.05) })
const known = truth(world, world.now)
const macros = await loadExplain()

let analyst: Analyst
/** The parts of every trader, and of every market. */
let wallets: Map<string, Part[]>
let markets: Map<string, Part[]>

beforeAll(async () => {
  analyst = await openAnalyst(world, world.now - 5 * day)
  const explain = async (macro: string, keys: string): Promise<Map<string, Part[]>> => {
    const parts = new Map<string, Part[]>()
    for (const { key } of await analyst.ask<{ key: string }>(keys)) {
      parts.set(key, await analyst.ask<Part>(`from core.${macro}('${key}')`))
    }
    return parts
  }
  wallets = await explain('explain_wallet', 'select address as key from marts.pm_wallet order by 1')
  markets = await explain('explain_market', 'select market_id as key from core.markets order by 1')
})
afterAll(() => analyst.close())

const macroOf = (name: string) => {
  const macro = macros.find((one) => one.name === name)
  if (macro === undefined) throw new Error(`there is no macro ${name}`)
  return macro
}

describe.each(['explain_wallet', 'explain_market'] as const)('core.%s', (name) => {
  const explained = (): Part[][] => [...(name === 'explain_wallet' ? wallets : markets).values()]

  it('has the columns that its header documents, in the types that it documents', async () => {
    const described = await analyst.ask<{ column_name: string; column_type: string }>(`describe from core.${name}('')`)
    const documented = macroOf(name).columns
    expect(described.map((column) => [column.column_name, column.column_type])).toEqual(
      documented.map((column) => [column.name, column.sql]),
    )
    const required = documented.filter(({ isNullable }) => !isNullable).map((column) => column.name as keyof Part)
    expect(required).toEqual(['part', 'place', 'what'])
    expect(
      explained()
        .flat()
        .filter((row) => required.some((column) => row[column] === null)),
    ).toEqual([])
  })

  it('has the parts that its header documents, and in that order', () => {
    const documented = [...macroOf(name).doc.matchAll(/^ {2}([a-z_]+)/gm)].map(([, part]) => part ?? '')
    for (const rows of explained()) {
      const parts = rows.map(({ part }) => part).filter((part, index, all) => part !== all[index - 1])
      expect(parts).toEqual(documented.filter((part) => parts.includes(part)))
    }
    expect(documented.filter((part) => of(explained().flat(), part).length === 0)).toEqual([])
  })

  it('has no rows for an unknown key', async () => {
    for (const key of ['', '0x1', `0x${'1'.repeat(40)}`, `polymarket:0x${'1'.repeat(64)}`]) {
      expect(await analyst.ask(`from core.${name}('${key}')`)).toEqual([])
    }
  })

  it('is described in the copy', async () => {
    const sql = `select comment, parameters from duckdb_functions() where schema_name = 'core' and function_name = '${name}'`
    expect(await analyst.ask(sql)).toEqual([
      { comment: macroOf(name).doc, parameters: [macroOf(name).parameter, ...macroOf(name).options] },
    ])
  })
})

describe('the options of core.explain_wallet', () => {
  const busiest = (): [string, Part[]] => [...wallets].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? ['', []]
  const place = (): string => of(busiest()[1], 'realization')[0]?.place ?? ''
  const instants = (): string[] => of(busiest()[1], 'fill').map(({ ts }) => ts ?? '')

  it.each([
    ['a part', () => `only_part := 'realization'`, ({ part }: Part) => part === 'realization'],
    ['a market', () => `only_place := '${place()}'`, (row: Part) => row.place === place()],
    ['a market in any case', () => `only_place := '${inUpperCase(place())}'`, (row: Part) => row.place === place()],
    ['a venue', () => `only_place := 'polymarket'`, (row: Part) => row.place.startsWith('polymarket')],
    [
      'a period, its end excluded',
      () => `since := '${instants()[10]}', until := '${instants()[20]}'`,
      ({ ts }: Part) => ts !== null && ts >= (instants()[10] ?? '') && ts < (instants()[20] ?? ''),
    ],
    ['a part of a market', () => `only_part := 'fill', only_place := '${place()}'`, isFillAt],
  ])('narrow the rows to %s', async (_, options, isWithin) => {
    const [address, whole] = busiest()
    const expected = whole.filter(isWithin)
    expect(expected.length).toBeGreaterThan(0)
    expect(expected.length).toBeLessThan(whole.length)
    expect(await analyst.ask(`from core.explain_wallet('${address}', ${options()})`)).toEqual(expected)
  })

  function isFillAt(row: Part): boolean {
    return row.part === 'fill' && row.place === place()
  }
})

describe('the explanation of a trader', () => {
  it('adds up to the profile in three ways', async () => {
    const profiles = await analyst.ask<{ address: string; total_pnl: string; untracked: string }>(
      'from marts.pm_wallet',
    )
    expect(profiles.length).toBeGreaterThan(sized(40, 40, 50))
    for (const { address, total_pnl, untracked } of profiles) {
      const rows = wallets.get(address) ?? []
      const realized = sum(rows, 'pnl_usd', 'realization')
      expect(cents(realized)).toBe(total_pnl)
      expect(sum(rows, 'pnl_usd', 'market')).toBe(realized)
      const results = of(rows, 'result').filter(({ place }) => place === 'all')
      expect(sum(results, 'pnl_usd', 'result')).toBe(realized)
      expect(sum(rows, 'usd', 'fill', 'activity', 'position', 'untracked')).toBe(realized)
      expect(cents(-sum(rows, 'usd', 'untracked'))).toBe(untracked)
    }
  })

  it('is the true life of who has a complete history', () => {
    const complete = [...known].filter(([wallet]) => of(wallets.get(wallet) ?? [], 'history')[0]?.what === 'complete')
    expect(complete.length).toBeGreaterThan(30)
    for (const [wallet, expected] of complete) {
      const rows = wallets.get(wallet) ?? []
      const verdicts = of(rows, 'market').map(({ what }) => what.split(':')[0])
      expect({
        pnl: sum(rows, 'pnl_usd', 'realization'),
        held: sum(rows, 'usd', 'position'),
        fills: of(rows, 'fill').length,
        markets: new Set(of(rows, 'fill').map(({ place }) => place)).size,
        won: verdicts.filter((verdict) => verdict === 'won').length,
        closed: verdicts.filter((verdict) => verdict === 'won' || verdict === 'lost').length,
      }).toEqual({
        pnl: expected.pnl.all,
        held: expected.open_cost,
        fills: expected.nFills,
        markets: expected.markets_traded,
        won: expected.won.all,
        closed: expected.closed.all,
      })
    }
  })

  it('lays every fill beside a close or says why not, and sums the closes up by category and day', () => {
    for (const rows of wallets.values()) {
      const fillsOf = (kind: string) => of(rows, 'clv_fill', 'clv_left_out').filter(({ what }) => what.startsWith(kind))
      expect(fillsOf('markout_24h').length).toBe(of(rows, 'fill').length)
      expect(sum(rows, 'usd', 'clv_cluster')).toBe(sum(rows, 'usd', 'clv_fill'))
    }
    const reasons = [...wallets.values()].flatMap((rows) =>
      of(rows, 'clv_left_out').map(({ what }) => what.split(': ')[2]),
    )
    // A match with oneself is too rare to be in every small world.
    const others = new Set(reasons.filter((reason) => reason !== 'self'))
    expect(others).toEqual(new Set(['start', 'in_play', 'extreme', 'no_close']))
  })

  it('ends with the archetype, and names the closing line value that is served', async () => {
    type Profile = { address: string; archetype: string; clv_score: string; clv_kind: string | null }
    const profiles = await analyst.ask<Profile>('from marts.pm_wallet')
    for (const { address, archetype, clv_score, clv_kind } of profiles) {
      const rows = wallets.get(address) ?? []
      expect(rows.at(-1)).toMatchObject({ part: 'archetype', what: archetype })
      const counting = of(rows, 'clv').filter(({ what }) => /^all: .*; counts$/.test(what))
      if (clv_kind === null) continue
      expect(counting.map(({ place, what }) => [place, what.split(' ')[1]])).toEqual([[clv_kind, clv_score]])
    }
    expect(profiles.filter(({ clv_kind }) => clv_kind !== null)).not.toEqual([])
  })

  it('leads to transactions of the lake', async () => {
    type Tx = { tx: string }
    const kept = await analyst.ask<Tx>('select tx from lake.fills union select tx from lake.activity')
    const reported = await analyst.ask<Tx>('select tx from lake.resolutions where tx is not null')
    const [transactions, resolutions] = [kept, reported].map((rows) => new Set(rows.map(({ tx }) => tx)))
    const parts = ['fill', 'activity', 'aside', 'realization', 'clv_fill', 'clv_left_out']
    const rows = of([...wallets.values()].flat(), ...parts)
    const isLost = ({ part, what, ref }: Part): boolean =>
      part === 'realization' && what.startsWith('resolution')
        ? ref !== null && resolutions?.has(ref) !== true
        : ref === null || transactions?.has(ref) !== true
    expect(rows.length).toBeGreaterThan(10_000)
    expect(rows.filter(isLost)).toEqual([])
  })

  it('is the same for the address in any case', async () => {
    const [wallet = ''] = wallets.keys()
    for (const written of [getAddress(wallet), `0x${wallet.slice(2).toUpperCase()}`]) {
      expect(written).not.toBe(wallet)
      expect(await analyst.ask(`from core.explain_wallet('${written}')`)).toEqual(wallets.get(wallet))
    }
  })
})

it.each([
  ['the explanation of a market', (id: string) => `core.explain_market('${id}')`],
  ['its holders', (id: string) => `core.holders('${id}')`],
  ['its volume', (id: string) => `core.volume('${id}')`],
])('%s: the same for the id in any case', async (_, rows) => {
  const id = [...markets.keys()].find((one) => of(markets.get(one) ?? [], 'position').length > 0) ?? ''
  const expected = await analyst.ask(`from ${rows(id)}`)
  expect(expected).not.toEqual([])
  for (const written of [inUpperCase(id), id.toUpperCase()]) {
    expect(written).not.toBe(id)
    expect(await analyst.ask(`from ${rows(written)}`)).toEqual(expected)
  }
})

describe('the explanation of a market', () => {
  type Odds = {
    market_id: string
    yes_price: string
    yes_method: string
    volume_24h_usd: string
    volume_method: string
  }

  it('shows the odds and their methods, and adds up to the volume of the day', async () => {
    const odds = await analyst.ask<Odds>('from metrics.market_odds')
    let n_traded = 0
    for (const { market_id, yes_price, yes_method, volume_24h_usd, volume_method } of odds) {
      const rows = markets.get(market_id) ?? []
      const shown = of(rows, 'odds').map(({ place, what, usd }) => [place, what, usd])
      expect(shown.slice(0, 2)).toEqual([
        ['yes_price', yes_method, yes_price],
        ['volume_24h', volume_method, volume_24h_usd],
      ])
      if (volume_method !== 'fills') continue
      expect(sum(rows, 'usd', 'volume')).toBe(sum(of(rows, 'odds').slice(1, 2), 'usd', 'odds'))
      if (of(rows, 'volume').length > 0) n_traded++
    }
    expect(n_traded).toBeGreaterThan(1)
  })

  it('shows what changed between two sights of it', () => {
    const seen = new Map<string, number>()
    for (const rows of markets.values()) {
      const open = of(rows, 'description').filter(({ place }) => place === 'is_open')
      const listed = open.map(({ what }) => what).join('; ')
      seen.set(listed, (seen.get(listed) ?? 0) + 1)
      const instants = open.map(({ ts }) => ts ?? '')
      expect(instants).toEqual(instants.toSorted())
      expect(of(rows, 'description').filter(({ place }) => place === 'question').length).toBe(1)
    }
    expect([...seen.keys()].toSorted()).toEqual(['false', 'true', 'true; false, before: true'])
  })

  it('shows every outcome, payout, close and fill of it', async () => {
    const count = (table: string) => `(select count(*) from ${table} x where x.market_id = m.market_id)`
    const roles = `(select count(distinct (outcome, role)) from core.fills x where x.market_id = m.market_id)`
    const fills = `(select coalesce(sum(cash_usd), 0) from core.fills x where x.market_id = m.market_id)`
    const counts = await analyst.ask<Record<string, string>>(
      `select market_id, ${count('core.outcomes')} as outcomes, ${count('staging.resolutions')} as resolutions,
        ${count('core.closes')} as closes, least(20, ${count('core.positions')}) as positions, ${roles} as roles,
        ${fills} as usd from core.markets m`,
    )
    for (const { market_id = '', usd = '', ...expected } of counts) {
      const rows = markets.get(market_id) ?? []
      const number = (part: string): string => String(of(rows, part).length)
      expect({
        outcomes: number('outcome'),
        resolutions: number('resolution'),
        closes: number('close'),
        positions: number('position'),
        roles: number('fill'),
      }).toEqual(expected)
      expect(sum(rows, 'usd', 'fill')).toBe(BigInt(usd.replace('.', '')))
      const paid = of(rows, 'position').map(({ what }) => Number(what.split(' ')[2]?.replace(',', '')))
      expect(paid).toEqual(paid.toSorted((a, b) => b - a))
    }
    expect(counts.filter(({ closes }) => closes !== '0').length).toBeGreaterThan(3)
  })
})

it('a copy that is open answers the same, whatever is published meanwhile', async () => {
  const [wallet = ''] = wallets.keys()
  const [market = ''] = markets.keys()
  for (const days of [1, 2]) await analyst.publish(world.now - days * day)
  expect(await analyst.ask(`from core.explain_wallet('${wallet}')`)).toEqual(wallets.get(wallet))
  expect(await analyst.ask(`from core.explain_market('${market}')`)).toEqual(markets.get(market))
})
