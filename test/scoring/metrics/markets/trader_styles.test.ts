import { describe, expect, test } from 'vitest'

import { run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const fill = (more: Row = {}): Row => ({
  trader_index: 5,
  ts: '2026-11-10',
  market_id: 'm',
  outcome: 0,
  side: 'buy',
  role: 'taker',
  price: 0.5,
  size: 100,
  cash_usd: 50,
  is_self: false,
  ...more,
})

const styleOf = async (...fills: Row[]) => {
  const rows = await run('metrics.trader_styles', {
    'core.fills': fills.map((row, seq) => ({
      seq,
      market_index: ['m', 'n', 'o'].indexOf(String(row['market_id'])),
      ...row,
    })),
    'core.ledger_markets': ['m', 'n', 'o'].map((market_id, market_index) => ({
      market_id,
      market_index,
      n_outcomes: 2,
    })),
  })
  expect(rows).toHaveLength(1)
  return rows[0] ?? {}
}

test('fills of nothing, as dust is rounded to, give no share', async () => {
  const none = { both_sides_share: 0, net_share: 0, longshot_share: 0, favorite_share: 0, role: 'taker' }
  const dust = fill({ size: 0.000001, price: 0.1, cash_usd: 0 })
  expect(await styleOf(dust)).toMatchObject({ ...none, net_share: 1, maker_share: null })
  expect(await styleOf({ ...dust, size: 0 })).toMatchObject(none)
})

describe('the role', () => {
  const up = (size: number, more: Row = {}) => fill({ size, cash_usd: size / 2, role: 'maker', ...more })
  const down = (size: number, more: Row = {}) => up(size, { side: 'sell', ...more })

  test('is seen by roles, by sides, and by what is left of them', async () => {
    expect(
      await styleOf(
        up(60),
        // The other outcome bought is the first one sold.
        up(40, { outcome: 1 }),
        fill({ market_id: 'n', size: 20, cash_usd: 10 }),
        down(999, { market_id: 'o', is_self: true }),
      ),
    ).toMatchObject({ maker_share: 0.833333, both_sides_share: 0.5, net_share: 0.333333, role: 'market_maker' })
  })

  test.each([
    // Inventory that is not flat is no matter where roles are known.
    [[up(90), down(10)], 'market_maker'],
    [[up(60), down(10), down(30, { role: 'taker' })], 'market_maker'],
    [[up(60), down(9), down(31, { role: 'taker' })], 'poster'],
    [[up(50), down(50), up(4, { market_id: 'n' })], 'market_maker'],
    [[up(50), down(50), up(4, { market_id: 'n' }), up(4, { market_id: 'o' })], 'poster'],
    [[up(50), up(50, { role: 'taker' })], 'poster'],
    [[up(49), up(51, { role: 'taker' })], 'taker'],
    // Without a known role, only both sides and net.
    [[up(60, { role: null }), down(40, { role: null })], 'market_maker'],
    [[up(61, { role: null }), down(39, { role: null })], 'taker'],
    [[up(61, { role: null })], 'taker'],
  ])('case %#', async (fills, expected) => {
    expect(await styleOf(...fills)).toMatchObject({ role: expected })
  })
})

test.each([
  [0.2, 60, 'longshot_share', 0.6],
  [0.200001, 60, 'longshot_share', 0],
  [0.8, 60, 'favorite_share', 0.6],
  [0.799999, 60, 'favorite_share', 0],
])('at %d with %d %% of the stake: %s', async (price, cash_usd, name, expected) => {
  const fills = [
    fill({ price, cash_usd }),
    fill({ cash_usd: 95 - cash_usd, fee_usd: 5, role: 'maker' }),
    fill({ price, cash_usd: 500, side: 'sell' }),
  ]
  expect(await styleOf(...fills)).toMatchObject({ [name]: expected, stake_usd: 100, taken_stake_usd: cash_usd })
})

test('the entry price is that of the purchases before fees, by shares', async () => {
  expect(await styleOf(fill({ size: 100, cash_usd: 20, fee_usd: 1 }), fill({ size: 100, cash_usd: 60 }))).toMatchObject(
    {
      entry_price: 0.4,
    },
  )
  expect(await styleOf(fill({ side: 'sell' }))).toMatchObject({ entry_price: null })
})
