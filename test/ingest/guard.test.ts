import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { ingestUnits, type Tally } from '#ingest/batch.ts'
import { judge, type Comparison, type Judged } from '#ingest/guard.ts'
import { plan } from '#ingest/plan.ts'
import type { ReadResult } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { faultyUnits } from '#lake/units/stored_unit.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { newLake, noon, quote } from '#test/lake/fixture.ts'
import { HOUR, type Micros } from '#time.ts'

import { noNetwork, second, tinyHttp, tinySource, unitOf } from './tiny.ts'

const whole = { dataset: 'fills', n_stored: 300, n_new: 300, n_lost: 0, n_repeated: 0, n_later: 0, values: [] } as const
const loss = (more: Partial<Comparison>): Comparison => ({
  ...whole,
  parsed: { n_stored: more.n_stored ?? 300, n_new: more.n_new ?? 300 },
  ...more,
  values: more.values ?? [],
})
const judged = (more: Partial<Judged>, comparison: Partial<Comparison>): ReturnType<typeof judge> =>
  judge({
    kind: 'history',
    wasProved: true,
    wasDone: false,
    state: 'head',
    isConfirmed: false,
    ...more,
    comparisons: [loss(comparison)],
  })
const verdictOf = (...args: Parameters<typeof judged>): string => {
  const verdict = judged(...args)
  return verdict.act === 'keep' ? verdict.problem : verdict.act
}

describe('a reading', () => {
  const half = { n_new: 150, n_lost: 150, parsed: { n_stored: 300, n_new: 150 } }
  const values = [{ column: 'cash_usd', n_stored: 300, n_lost: 300 }]
  const single = { n_new: 298, n_lost: 2, parsed: { n_stored: 300, n_new: 298 } }

  test.each<[string, Partial<Judged>, Partial<Comparison>, string]>([
    ['that has all rows', {}, { n_new: 320 }, 'replace'],
    ['that lacks half of a history', {}, half, 'fills: 300 rows became 150'],
    ['that lacks half of it twice', { isConfirmed: true }, half, 'fills: 300 rows became 150'],
    ['that lacks rows and has others', {}, { n_new: 400, n_lost: 9 }, 'fills: 9 of 300 rows are missing'],
    ['that lacks the values of a column', {}, { values }, 'fills: 300 values of cash_usd became 0'],
    ['that lacks single events', {}, single, 'fills: 300 rows became 298'],
    ['that lacks single events twice', { isConfirmed: true }, single, 'replace'],
    [
      'that lacks them twice without a proof',
      { isConfirmed: true, state: 'unverified' },
      single,
      'fills: 300 rows became 298',
    ],
    ['that has a row once that was stored twice', {}, { n_repeated: 9 }, 'fills: 9 of 300 rows are missing'],
    ['that has it once, and is proved first', { wasProved: false }, { n_repeated: 9 }, 'replace'],
    ['that lacks rows of an unproved one', { wasProved: false }, half, 'fills: 300 rows became 150'],
    ['that ends before the stored one', {}, { n_later: 4 }, 'merge'],
    ['without a proof that adds nothing', { state: 'unverified' }, {}, 'it has no proof'],
    ['without a proof that adds a row', { state: 'unverified' }, { n_new: 301 }, 'replace'],
    ['without a proof of an unproved unit', { wasProved: false, state: 'unverified' }, {}, 'replace'],
    ['with rejected rows beside all stored ones', { state: 'quarantined' }, {}, 'replace'],
    ['with rejected rows in place of stored ones', { state: 'quarantined' }, single, 'fills: 300 rows became 298'],
    ['of an open hour, without a proof', { kind: 'hour', state: 'unverified' }, {}, 'replace'],
    ['of a closed hour, without a proof', { kind: 'hour', wasDone: true, state: 'unverified' }, {}, 'it has no proof'],
    [
      'of descriptions of an hour that lacks one, without a proof',
      { kind: 'hour', state: 'unverified' },
      { dataset: 'resolutions', ...single },
      'it has no proof',
    ],
    ['of a list, without a proof', { kind: 'observation', state: 'unverified' }, { n_new: 301 }, 'it has no proof'],
    ['of blocks, by their own proof', { kind: 'blocks' }, half, 'replace'],
    ['of blocks that were not proved', { kind: 'blocks', wasProved: false, state: 'unverified' }, half, 'replace'],
    ['of blocks without a proof', { kind: 'blocks', state: 'unverified' }, half, 'fills: 300 rows became 150'],
    ['of a list that lost single rows', { kind: 'observation' }, { dataset: 'markets', ...single }, 'merge'],
    [
      'of a list that lost half',
      { kind: 'observation' },
      { dataset: 'markets', ...half },
      'markets: 300 rows became 150',
    ],
    [
      'of a list that lost half of its rows, of which few were stored',
      { kind: 'observation' },
      { dataset: 'markets', n_stored: 1, n_new: 1, parsed: { n_stored: 300, n_new: 150 } },
      'markets: 300 rows became 150',
    ],
    [
      'of a list that lost a column',
      { kind: 'observation' },
      { dataset: 'markets', values: [{ column: 'volume_usd', n_stored: 300, n_lost: 300 }] },
      'markets: 300 values of volume_usd became 0',
    ],
    [
      'of a list that lost single values',
      { kind: 'observation' },
      { dataset: 'markets', values: [{ column: 'volume_usd', n_stored: 300, n_lost: 2 }] },
      'replace',
    ],
    ['of descriptions that lack one', {}, { dataset: 'resolutions', ...single }, 'merge'],
    [
      'of descriptions that lack a value',
      {},
      { dataset: 'resolutions', values: [{ column: 'tx', n_stored: 300, n_lost: 1 }] },
      'resolutions: 300 values of tx became 299',
    ],
    [
      'of descriptions that lack a value twice',
      { isConfirmed: true },
      { dataset: 'resolutions', values: [{ column: 'tx', n_stored: 300, n_lost: 1 }] },
      'replace',
    ],
  ])('%s', (_, more, comparison, verdict) => {
    expect(verdictOf(more, comparison)).toBe(verdict)
  })
})

const unit = unitOf('0xa')
const quotesAt = (...seconds: number[]) => seconds.map((s) => quote('0xa', noon - s * second, { bid: BigInt(s) }))
const some = (n: number) => ({ rows: { quotes: quotesAt(...Array.from({ length: n }, (_, i) => 900 - i)) } })

const pull = (lake: Lake, pulled: Partial<ReadResult>, of: Unit = unit, at: Micros = noon): Promise<Tally> => {
  const { http } = tinyHttp({})
  const source = tinySource({ read: async () => ({ rows: {}, rejected: [], state: 'complete', ...pulled }) })
  return ingestUnits({ lake, http, keepRaw: false, concurrency: 1 }, () => source, [of], at)
}
const rowsOf = (lake: Lake) =>
  lake.read(({ query }) => query('select * from lake.quotes order by all', z.record(z.string(), z.unknown())))
const entryOf = async (lake: Lake) => {
  const [entry] = await lake.read(({ query }) =>
    query("select * from lake.coverage where dataset = 'quotes'", z.record(z.string(), z.unknown())),
  )
  return entry
}

const refresh = { ...unit, forceRefresh: true }

describe.each([
  ['a reading', unit],
  ['a refresh', refresh],
])('%s with a proof', (_, of) => {
  test.each([
    ['in the same instant', 0],
    ['in a later instant', HOUR],
  ])('that has half of the rows %s is refused, and a whole one restores the unit', async (__, later) => {
    const lake = await newLake()
    await pull(lake, some(200))
    const [rows, entry] = [await rowsOf(lake), await entryOf(lake)]
    const tally = await pull(lake, some(100), of, noon + later)
    const reason = 'quotes: 200 rows became 100; the stored rows stay'
    expect(tally).toMatchObject({ units: 0, failed: 1, refused: 1, failures: [{ reason, isRefused: true }] })
    expect(await rowsOf(lake)).toEqual(rows)
    expect(await entryOf(lake)).toEqual({ ...entry, reason, reason_code: 'refused' })
    expect(await faultyUnits(lake, unit)).toEqual(new Set([unitPath(unit)]))
    expect(await pull(lake, some(200), unit, noon + later)).toMatchObject({ units: 1, failed: 0 })
    expect(await rowsOf(lake)).toEqual(rows)
    expect(await entryOf(lake)).toMatchObject({ state: 'head', reason: null, reason_code: null })
    expect(await faultyUnits(lake, unit)).toEqual(new Set())
  })

  test('that has no row, or lost a column, is refused', async () => {
    const lake = await newLake()
    await pull(lake, some(20))
    const rows = await rowsOf(lake)
    const { failures: empty } = await pull(lake, {}, of)
    expect(empty[0]?.reason).toBe('quotes: 20 rows became 0; the stored rows stay')
    const without = some(20).rows.quotes.map((row) => ({ ...row, bid: null }))
    const { failures: dropped } = await pull(lake, { rows: { quotes: without } }, of)
    expect(dropped[0]?.reason).toBe('quotes: 20 values of bid became 0; the stored rows stay')
    expect(await rowsOf(lake)).toEqual(rows)
  })

  test('removes single rows when a second one, an hour later, lacks the same', async () => {
    const lake = await newLake()
    await pull(lake, some(200))
    const at = (minutes: number): Micros => noon + minutes * 60 * second
    expect(await pull(lake, some(198), of, at(0))).toMatchObject({ refused: 1 })
    expect(await pull(lake, some(198), of, at(59))).toMatchObject({ refused: 1 })
    // A reading that lacks other rows begins anew.
    const other = await newLake()
    await pull(other, some(200))
    await pull(other, some(199), of, at(0))
    expect(await pull(other, some(198), of, at(60))).toMatchObject({ refused: 1 })
    expect(await pull(lake, some(198), of, at(60))).toMatchObject({ units: 1, failed: 0, rows: 198 })
    expect(await entryOf(lake)).toMatchObject({ n_rows: 198n, reason: null, gaps: null })
  })
})

test('a complete reading replaces rows that it lacks if the operator accepts their loss', async () => {
  const lake = await newLake()
  await pull(lake, some(20))
  const accepted = { ...refresh, acceptLoss: true }
  expect(await pull(lake, { ...some(10), state: 'unverified' }, accepted)).toMatchObject({ refused: 1 })
  expect(await pull(lake, some(10), accepted)).toMatchObject({ units: 1, failed: 0, rows: 10 })
})

test('a list that is read again in its instant keeps the rows that it no longer shows', async () => {
  const lake = await newLake()
  const list = unitOf('', { kind: 'observation', from: noon, to: noon })
  const listed = (...keys: number[]) => ({ rows: { quotes: keys.map((key) => quote(`0x${key}`, noon)) } })
  const all = Array.from({ length: 40 }, (_, n) => n)
  await pull(lake, listed(...all), list)
  expect(await pull(lake, listed(...all.slice(3), 40, 41), list)).toMatchObject({ units: 1, rows: 42 })
  expect(await pull(lake, listed(...all.slice(20)), list)).toMatchObject({ refused: 1 })
  expect(await rowsOf(lake)).toHaveLength(42)
})

test('a plan has the closed units of which a reading was refused', async () => {
  const lake = await newLake()
  const closed = unitOf('0xa', { to: noon - 24 * HOUR })
  await pull(lake, some(20), closed)
  const source = tinySource({ plan: async ({ refresh: isAll }) => (isAll === true ? [closed] : []) })
  const due = async (): Promise<Unit[]> => {
    const request = { source: source.name, at: noon, from: 0, to: noon, keys: [] }
    const faultyOf = (part: Pick<Unit, 'source' | 'part'>) => faultyUnits(lake, part)
    const tools = { get: noNetwork, faultyOf }
    return (await lake.read((reader) => plan(source, request, { lake: reader, ...tools }))).units
  }
  expect(await due()).toEqual([])
  await pull(lake, some(10), { ...closed, forceRefresh: true })
  expect(await due()).toEqual([{ ...closed, forceRefresh: true }])
  await pull(lake, some(20), closed)
  expect(await due()).toEqual([])
})
