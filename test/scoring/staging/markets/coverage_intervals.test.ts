import { describe, expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

const unit = (from_at: string | null, to_at: string | null, more: Record<string, string | number> = {}) => ({
  dataset: 'fills',
  part: 'polymarket',
  key: '0xa',
  source: 'trades',
  unit: `${from_at} ${to_at}`,
  precedence: 1,
  state: 'done',
  from_at,
  to_at,
  ...more,
})

const stretches = async (...units: ReturnType<typeof unit>[]) =>
  cut(
    await run('staging.coverage_intervals', { 'lake.coverage': units }),
    'key',
    'source',
    'from_at',
    'to_at',
    'is_proved',
  )

const [one, two, three, four] = ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'] as const
const at = (day: string) => `${day} 00:00:00`

describe('stretches', () => {
  test('join units that touch or overlap, also around one that lies inside another', async () => {
    expect(await stretches(unit(one, two), unit(two, three), unit('2026-02-15', four))).toEqual([
      ['0xa', 'trades', at(one), at(four), true],
    ])
    expect(await stretches(unit(one, three), unit('2026-01-10', '2026-01-11'), unit(three, four))).toEqual([
      ['0xa', 'trades', at(one), at(four), true],
    ])
  })

  test('end where a gap begins, be it a microsecond', async () => {
    expect(await stretches(unit(one, '2026-01-31 23:59:59.999999'), unit(two, three))).toEqual([
      ['0xa', 'trades', at(one), '2026-01-31 23:59:59.999999', true],
      ['0xa', 'trades', at(two), at(three), true],
    ])
  })

  test('are of one key and one source, and of one dataset', async () => {
    const units = [
      unit(one, two),
      unit(two, three, { key: '0xb' }),
      unit(two, three, { source: 'activity' }),
      unit(two, three, { dataset: 'activity' }),
      unit(two, three, { part: 'limitless' }),
    ]
    expect(await stretches(...units)).toHaveLength(5)
  })

  test('go on for good where a unit is closed without an end', async () => {
    expect(await stretches(unit(one, null))).toEqual([['0xa', 'trades', at(one), '9999-01-01 00:00:00', true]])
  })

  test('hold what is covered: not what is missing or unavailable; what may be cut off proves nothing', async () => {
    expect(await stretches(unit(one, two, { state: 'missing' }), unit(two, three, { state: 'unavailable' }))).toEqual(
      [],
    )
    expect(await stretches(unit(one, two, { state: 'head' }), unit(two, three, { state: 'unverified' }))).toEqual([
      ['0xa', 'trades', at(one), at(two), true],
      ['0xa', 'trades', at(two), at(three), false],
    ])
    expect(await stretches(unit(one, two), unit(two, three, { state: 'quarantined' }), unit(three, four))).toEqual([
      ['0xa', 'trades', at(one), at(two), true],
      ['0xa', 'trades', at(two), at(three), false],
      ['0xa', 'trades', at(three), at(four), true],
    ])
    expect(await stretches(unit(one, two, { state: 'quarantined' }))).toEqual([
      ['0xa', 'trades', at(one), at(two), false],
    ])
    expect(await stretches(unit(null, two))).toEqual([])
  })
})

describe('units of blocks', () => {
  const source = 'polymarket_chain'
  const range = (from_block: number, to_block: number, state = 'done') =>
    unit(null, null, { key: '', source, state, from_block, to_block, unit: `${from_block}` })
  const block = (number: number, ts: string, of_source = source) => ({ source: of_source, block: number, ts })
  const rows = async (units: ReturnType<typeof unit>[], blocks: ReturnType<typeof block>[]) =>
    cut(
      await run('staging.coverage_intervals', { 'lake.coverage': units, 'lake.blocks': blocks }),
      'from_at',
      'to_at',
      'is_proved',
    )
  const start = 90_000_000

  test('have the instants of their blocks: from the end of the unit before to their last block', async () => {
    const blocks = [
      block(start + 40, two),
      block(start + 99, three),
      block(start + 199, four),
      block(start + 99, one, 'other'),
    ]
    expect(await rows([range(start, start + 100), range(start + 100, start + 200)], blocks)).toEqual([
      [at(two), `${at(four)}.000001`, true],
    ])
    expect(await rows([range(start, start + 100)], blocks)).toEqual([[at(two), `${at(three)}.000001`, true]])
  })

  test('end where one is missing or was not proved', async () => {
    const blocks = [block(start + 50, one), block(start + 99, two), block(start + 299, four), block(start + 220, three)]
    const units = [range(start, start + 100), range(start + 200, start + 300, 'unverified')]
    expect(await rows(units, blocks)).toEqual([
      [at(one), `${at(two)}.000001`, true],
      [at(three), `${at(four)}.000001`, false],
    ])
  })

  test('that have the first block of the venue cover all time before', async () => {
    expect(await rows([range(4_000_000, 4_050_000)], [block(4_049_999, two)])).toEqual([
      [at('1970-01-01'), `${at(two)}.000001`, true],
    ])
  })
})
