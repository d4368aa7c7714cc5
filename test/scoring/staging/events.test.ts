import { describe, expect, test } from 'vitest'

import { clock, cut, modelOf, run, withTables, type Given } from '#test/scoring/model.ts'

const after = '2026-11-20 12:00:00.000001'

describe('activity', () => {
  test('is what is known at the clock, without system addresses', async () => {
    const rows = [
      { venue: 'polymarket', trader: 'ann', ts: clock, kind: 'split' },
      { venue: 'polymarket', trader: 'ann', ts: after, kind: 'merge' },
      { venue: 'polymarket', trader: '0xsystem', ts: clock, kind: 'split' },
    ]
    const given = { 'lake.activity': rows, 'staging.system_addresses': [{ address: '0xsystem', label: 'exchange' }] }
    expect(cut(await run('staging.activity', given), 'trader', 'kind')).toEqual([['ann', 'split']])
  })
})

describe('quotes', () => {
  test('are what was seen up to the clock', async () => {
    const rows = [clock, after].map((ts) => ({ market_id: 'polymarket:a', ts, bid: 0.4 }))
    expect(cut(await run('staging.quotes', { 'lake.quotes': rows }), 'ts', 'bid', 'ask')).toEqual([[clock, 0.4, null]])
  })
})

describe('the tape', () => {
  const market_id = `polymarket:0x${'a'.repeat(64)}`
  const fill = (ts: string, role: string | null, more: Record<string, string> = {}) => ({
    venue: 'polymarket',
    market_id,
    ts,
    role,
    trader: 'ann',
    ...more,
  })

  test('is both sides of what the markets show up to the clock: not accounts, which have no roles, nor combos', async () => {
    const rows = [
      fill(clock, 'taker'),
      fill(clock, 'maker', { trader: 'bob' }),
      fill(clock, null, { trader: 'cid' }),
      fill(clock, 'taker', { trader: 'dan', market_id: market_id.slice(0, -2) }),
      fill(clock, 'taker', { trader: 'eve', market_id: 'limitless:rain', venue: 'limitless' }),
      fill(after, 'taker', { trader: 'fay' }),
    ]
    expect(cut(await run('staging.tape', { 'lake.fills': rows }), 'trader', 'role')).toEqual([
      ['eve', 'taker'],
      ['ann', 'taker'],
      ['bob', 'maker'],
    ])
  })
})

describe('resolutions', () => {
  const resolution = (ts: string, payouts: number[], source = 'gamma', market_id = 'polymarket:a') => ({
    market_id,
    ts,
    payouts,
    source,
  })
  const preferred = [
    { dataset: 'resolutions', source: 'gamma', precedence: 2 },
    { dataset: 'resolutions', source: 'clob', precedence: 1 },
  ]
  const redeem = (ts: string, market_id = 'polymarket:a') => ({ kind: 'redeem', ts, market_id, trader: 'ann' })
  const known = async (rows: Given[string], activity: Given[string] = []) =>
    cut(
      await run('staging.resolutions', {
        'lake.resolutions': rows,
        'lake.coverage': preferred,
        'lake.activity': activity,
      }),
      'ts',
      'payouts',
    )

  test('are those known at the clock, a correction as a row of its own', async () => {
    const rows = [resolution('2026-11-01', [1, 0]), resolution(clock, [0.5, 0.5]), resolution(after, [0, 1])]
    expect(await known(rows)).toEqual([
      ['2026-11-01 00:00:00', ['1.000000', '0.000000']],
      [clock, ['0.500000', '0.500000']],
    ])
  })

  test('of two sources are those of the preferred one; what only the other one knows counts too', async () => {
    const rows = [
      resolution('2026-11-01', [1, 0], 'clob'),
      resolution('2026-11-02', [0, 1]),
      resolution('2026-11-03', [1, 0], 'clob', 'polymarket:b'),
    ]
    expect(await known(rows)).toEqual([
      ['2026-11-02 00:00:00', ['0.000000', '1.000000']],
      ['2026-11-03 00:00:00', ['1.000000', '0.000000']],
    ])
  })

  test('are no later than the first redemption, as far as the first row of a market goes', async () => {
    const rows = [resolution('2026-11-05', [1, 0]), resolution('2026-11-09', [0, 1])]
    const activity = [
      redeem('2026-11-03'),
      redeem('2026-11-07'),
      redeem('2026-11-01', 'polymarket:b'),
      { ...redeem('2026-11-01'), kind: 'merge' },
    ]
    expect((await known(rows, activity)).map(([ts]) => ts)).toEqual(['2026-11-03 00:00:00', '2026-11-09 00:00:00'])
    expect((await known(rows, [redeem('2026-11-06')])).map(([ts]) => ts)).toEqual([
      '2026-11-05 00:00:00',
      '2026-11-09 00:00:00',
    ])
  })

  test('that were told after the clock are known when somebody had redeemed by then', async () => {
    expect(await known([resolution('2026-12-01', [1, 0])], [redeem(clock)])).toEqual([
      [clock, ['1.000000', '0.000000']],
    ])
    expect(await known([resolution('2026-12-01', [1, 0])], [redeem(after)])).toEqual([])
  })
})

describe('system addresses', () => {
  test('are whole lower-case addresses, each with its name', async () => {
    const rows = await run('staging.system_addresses', {})
    expect(rows.length).toBeGreaterThanOrEqual(10)
    for (const { address, label } of rows) {
      expect(address).toMatch(/^0x[0-9a-f]{40}$/)
      expect(label).not.toBe('')
    }
    // The contract that holds the shares, and the exchange on which most of them were traded.
    expect(rows.map(({ address }) => address)).toEqual(
      expect.arrayContaining([
        '0x4d97dcd97ec945f40cf65f87097ace5ea0476045',
        '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e',
      ]),
    )
  })
})

test('the runner refuses rows of a table that a model does not read, and columns that a table does not have', async () => {
  await expect(run('staging.quotes', { 'lake.fills': [] })).rejects.toThrow('staging.quotes does not read lake.fills')
  await expect(run('staging.quotes', { 'lake.quotes': [{ price: 1 }] })).rejects.toThrow(
    'lake.quotes has no column price',
  )
  expect(() => modelOf('staging.nothing')).toThrow('there is no model staging.nothing')
  await expect(withTables(modelOf('staging.quotes'), {}, () => Promise.reject(new Error('mine')))).rejects.toThrow(
    'mine',
  )
})
