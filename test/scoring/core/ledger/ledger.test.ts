import type { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { LedgerContext, LedgerEvent, Position } from '#test/oracle/ledger/event.ts'
import { buy, context, convert, merge, redeem, resolve, sell, split } from '#test/oracle/ledger/examples.ts'

import { loadLedger, openLedgerDuckDB, runLedgers, type LedgerModels } from './ledgers.ts'

let instance: DuckDBInstance
let models: LedgerModels
beforeAll(async () => {
  instance = await openLedgerDuckDB(2)
  models = await loadLedger()
})
afterAll(() => instance.closeSync())

const world: LedgerContext = {
  markets: [...context.markets, { market_id: 'far', n_outcomes: 2, neg_risk_id: 'wide', neg_risk_index: 200 }],
}

/**
 * What Ann's ledger says: its realizations as `kind market/outcome size: proceeds - cost = pnl`, and a position's part.
 */
async function ledgerOf(...events: LedgerEvent[]) {
  const [results] = await runLedgers(instance, models, [{ events, context: world }])
  const { realizations, positions } = results ?? { realizations: [], positions: [] }
  return {
    rows: realizations
      .sort((a, b) => a.ts - b.ts || a.outcome - b.outcome)
      .map(
        (row) => `${row.kind} ${row.market_id}/${row.outcome} ${row.size}: ${row.proceeds} - ${row.cost} = ${row.pnl}`,
      ),
    realizations,
    places: positions.map(({ market_id, outcome }) => `${market_id}/${outcome}`),
    position: (outcome: number, market_id = 'm'): Partial<Position> =>
      positions.find((each) => each.market_id === market_id && each.outcome === outcome) ?? {},
  }
}

const usd = 1_000_000n
const first = [usd, 0n]
const second = [0n, usd]

describe('buys and sales', () => {
  test('cost averages over what is held, and fees are part of it on both sides', async () => {
    const { rows, position } = await ledgerOf(
      buy(1, 0, 60n, 20n, { fee: 2n }),
      buy(2, 0, 40n, 30n, { fee: 1n }),
      sell(3, 0, 50n, 40n, { fee: 3n }),
    )
    expect(rows).toEqual(['sale m/0 50: 37 - 26 = 11'])
    expect(position(0)).toMatchObject({ size: 50n, cost: 27n, bought: 53n, sold: 37n, fees: 6n, realized: 11n })
    expect(position(0)).toMatchObject({ first_at: 1, last_at: 3, is_complete: true })
  })

  test('the cost that a sale takes out is rounded half to even, and the last sale takes the rest', async () => {
    const { rows } = await ledgerOf(
      buy(1, 0, 2n, 5n),
      sell(2, 0, 1n, 0n),
      sell(3, 0, 1n, 0n),
      buy(4, 1, 2n, 7n),
      sell(5, 1, 1n, 0n),
      sell(6, 1, 1n, 0n),
    )
    expect(rows.map((row) => row.split(' - ')[1])).toEqual(['2 = -2', '3 = -3', '4 = -4', '3 = -3'])
  })

  test('within an instant buys come before sales, whatever their transactions', async () => {
    const { rows } = await ledgerOf(sell(1, 0, 5n, 4n, { tx: '0x1' }), buy(1, 0, 5n, 3n, { tx: '0x2' }))
    expect(rows).toEqual(['sale m/0 5: 4 - 3 = 1'])
  })

  test('shares without a known purchase realize nothing', async () => {
    const { rows, position } = await ledgerOf(sell(1, 0, 10n, 6n))
    expect(rows).toEqual([])
    expect(position(0)).toMatchObject({ size: 0n, sold: 0n, realized: 0n, size_untracked: 10n, untracked: 6n })
    expect(position(0).is_complete).toBe(false)
  })

  test('a sale of more than is held brings its part of the proceeds, the rest is untracked', async () => {
    const { rows, position } = await ledgerOf(buy(1, 0, 4n, 1n), sell(2, 0, 10n, 6n))
    expect(rows).toEqual(['sale m/0 4: 2 - 1 = 1'])
    expect(position(0)).toMatchObject({ size: 0n, cost: 0n, sold: 2n, size_untracked: 6n, untracked: 4n })
    expect(position(0).is_complete).toBe(false)
  })

  test('a position that was sold out starts again with nothing', async () => {
    const { rows } = await ledgerOf(buy(1, 0, 3n, 9n), sell(2, 0, 3n, 1n), buy(3, 0, 2n, 1n), sell(4, 0, 2n, 2n))
    expect(rows).toEqual(['sale m/0 3: 1 - 9 = -8', 'sale m/0 2: 2 - 1 = 1'])
  })

  test('products of large amounts are exact', async () => {
    const size = 900_000_000_000_000_001n
    const { rows } = await ledgerOf(buy(1, 0, size, size - 2n), sell(2, 0, 7n, 0n), sell(3, 0, size - 8n, 0n))
    expect(rows).toEqual([
      'sale m/0 7: 0 - 7 = -7',
      'sale m/0 899999999999999993: 0 - 899999999999999991 = -899999999999999991',
    ])
  })

  test('the seq of a realization is that of its fill', async () => {
    const alike = { tx: '0x1', market_id: 'm' }
    const { realizations } = await ledgerOf(buy(1, 0, 9n, 9n), sell(2, 0, 1n, 1n, alike), sell(2, 0, 2n, 1n, alike))
    expect(realizations.map(({ tx, seq, size }) => [tx, seq, size])).toEqual([
      ['0x1', 0, 1n],
      ['0x1', 1, 2n],
    ])
  })
})

describe('splits and merges', () => {
  test('a pair costs a dollar, half of it each, and brings one', async () => {
    const { rows, position } = await ledgerOf(split(1, 5n), merge(2, 3n))
    expect(position(0)).toMatchObject({ size: 2n, bought: 2n, cost: 1n })
    expect(position(1)).toMatchObject({ size: 2n, bought: 3n, cost: 1n })
    expect(rows).toEqual(['merge m/0 3: 2 - 1 = 1', 'merge m/1 3: 1 - 2 = -1'])
  })

  test('a merge of what was not bought follows the rules of a sale', async () => {
    const { rows, position } = await ledgerOf(buy(1, 1, 4n, 3n), merge(2, 4n))
    expect(rows).toEqual(['merge m/1 4: 2 - 3 = -1'])
    expect(position(0)).toMatchObject({ size_untracked: 4n, untracked: 2n, is_complete: false })
    expect(position(1).is_complete).toBe(true)
  })
})

describe('resolutions', () => {
  test('realize what is held at its payout, winners and losers, without selling it', async () => {
    const { rows, position } = await ledgerOf(buy(1, 0, 10n, 4n), buy(1, 1, 10n, 5n), resolve(2, first))
    expect(rows).toEqual(['resolution m/0 10: 10 - 4 = 6', 'resolution m/1 10: 0 - 5 = -5'])
    expect(position(0)).toMatchObject({ size: 10n, cost: 10n, sold: 0n, bought: 4n, realized: 6n, last_at: 2 })
  })

  test('a later sale realizes the difference', async () => {
    const { rows } = await ledgerOf(buy(1, 0, 10n, 4n), resolve(2, first), sell(3, 0, 10n, 9n))
    expect(rows.at(-1)).toBe('sale m/0 10: 9 - 10 = -1')
  })

  test('a correction realizes again', async () => {
    const { rows, position } = await ledgerOf(buy(1, 0, 10n, 4n), resolve(2, first), resolve(3, second))
    expect(rows).toEqual(['resolution m/0 10: 10 - 4 = 6', 'resolution m/0 10: 0 - 10 = -10'])
    expect(position(0)).toMatchObject({ realized: -4n, cost: 0n })
  })

  test('pay what they pay: half a dollar each, or nothing', async () => {
    const halves = await ledgerOf(buy(1, 0, 9n, 3n), resolve(2, [usd / 2n, usd / 2n]))
    expect(halves.rows).toEqual(['resolution m/0 9: 4 - 3 = 1'])
    const nothing = await ledgerOf(buy(1, 0, 9n, 3n), resolve(2, [0n, 0n]))
    expect(nothing.rows).toEqual(['resolution m/0 9: 0 - 3 = -3'])
  })

  test('concern only traders with a position, and come after the sales of their instant', async () => {
    const { rows, places } = await ledgerOf(buy(1, 0, 9n, 3n), sell(2, 0, 9n, 5n), resolve(2, first))
    expect(rows).toEqual(['sale m/0 9: 5 - 3 = 2'])
    expect(places).toEqual(['m/0'])
  })
})

describe('redemptions', () => {
  const resolved = [buy(1, 0, 100n, 40n), buy(1, 1, 60n, 20n), resolve(2, first)]

  test('burn everything for what it pays, the losers for nothing', async () => {
    const { rows, position } = await ledgerOf(...resolved, redeem(3, 100n))
    expect(rows.slice(2)).toEqual(['redemption m/0 100: 100 - 100 = 0', 'redemption m/1 60: 0 - 0 = 0'])
    expect(position(0)).toMatchObject({ size: 0n, cost: 0n, sold: 100n, realized: 60n, is_complete: true })
  })

  test('come after a resolution of their instant', async () => {
    const { rows } = await ledgerOf(redeem(2, 100n, { tx: '0x0' }), ...resolved)
    expect(rows.filter((row) => row.startsWith('redemption'))).toHaveLength(2)
  })

  test('of nearly what the shares pay burn everything, and the last that pays takes the difference', async () => {
    const { rows } = await ledgerOf(...resolved, redeem(3, 90n))
    expect(rows.slice(2)).toEqual(['redemption m/0 100: 90 - 100 = -10', 'redemption m/1 60: 0 - 0 = 0'])
  })

  test('of less burn a part of what pays, and the losers stay', async () => {
    const { rows, position } = await ledgerOf(...resolved, redeem(3, 89n))
    expect(rows.slice(2)).toEqual(['redemption m/0 89: 89 - 89 = 0'])
    expect(position(0)).toMatchObject({ size: 11n, cost: 11n, sold: 89n })
    expect(position(1)).toMatchObject({ size: 60n, last_at: 2 })
  })

  test('of more burn everything, and what no share explains is untracked', async () => {
    const { rows, position } = await ledgerOf(...resolved, redeem(3, 111n))
    expect(rows.slice(2)).toEqual(['redemption m/0 100: 100 - 100 = 0', 'redemption m/1 60: 0 - 0 = 0'])
    expect(position(0)).toMatchObject({ untracked: 11n, is_complete: false })
  })

  test('before a resolution burn nothing, and their cash is untracked', async () => {
    const { rows, position } = await ledgerOf(buy(1, 0, 100n, 40n), redeem(2, 50n), resolve(3, first))
    expect(rows).toEqual(['resolution m/0 100: 100 - 40 = 60'])
    expect(position(0)).toMatchObject({ size: 100n, untracked: 50n, is_complete: false })
  })
})

describe('neg-risk conversions', () => {
  const inGroup = { market_id: 'qa' }

  test('hand the cost of the NO shares, less the dollars given back, on to the YES shares of the other questions', async () => {
    const { rows, position } = await ledgerOf(
      buy(1, 1, 10n, 7n, { market_id: 'qc' }),
      buy(1, 1, 10n, 8n, { market_id: 'qb' }),
      convert(2, 10n, 0b011n),
    )
    expect(rows).toEqual(['conversion qb/1 10: 8 - 8 = 0', 'conversion qc/1 10: 7 - 7 = 0'])
    expect(position(0, 'qa')).toMatchObject({ size: 10n, cost: 5n, bought: 5n, first_at: 2 })
    expect(position(1, 'qb')).toMatchObject({ size: 0n, cost: 0n, sold: 8n, realized: 0n, is_complete: true })
  })

  test('share a cost out to the millionth, even one below nothing, the first questions taking one more', async () => {
    const { position } = await ledgerOf(convert(1, 10n, 0b100n), buy(1, 1, 10n, 3n, inGroup))
    expect([position(0, 'qc').cost, position(0, 'qb').cost]).toEqual([2n, 1n])
    const below = await ledgerOf(buy(1, 1, 9n, 2n, inGroup), convert(2, 9n, 0b110n))
    expect(below.position(0, 'qc')).toMatchObject({ size: 9n, cost: -7n, bought: -7n })
  })

  test('of all questions give dollars, which are the proceeds', async () => {
    const held = [0, 1, 2].map((index) => buy(1, 1, 10n, 6n, { market_id: ['qc', 'qb', 'qa'][index] ?? '' }))
    const { rows } = await ledgerOf(...held, convert(2, 10n, 0b111n))
    expect(rows.sort()).toEqual([
      'conversion qa/1 10: 6 - 6 = 0',
      'conversion qb/1 10: 7 - 6 = 1',
      'conversion qc/1 10: 7 - 6 = 1',
    ])
  })

  test('of shares that were never seen bought leave the position incomplete', async () => {
    const { rows, position } = await ledgerOf(buy(1, 1, 4n, 3n, inGroup), convert(2, 10n, 0b100n))
    expect(rows).toEqual(['conversion qa/1 4: 3 - 3 = 0'])
    expect(position(1, 'qa')).toMatchObject({ size_untracked: 6n, untracked: 0n, is_complete: false })
    expect(position(0, 'qb')).toMatchObject({ size: 10n, cost: 1n, is_complete: true })
  })

  test.each([
    ['does not say of which questions', null],
    ['names a question that is not described', 0b1100n],
    ['names none', 0n],
  ])('one that %s moves nothing, and makes all of the group incomplete', async (_, index_set) => {
    const { rows, position, places } = await ledgerOf(
      buy(1, 1, 4n, 3n, inGroup),
      convert(2, 4n, index_set),
      buy(3, 0, 5n, 1n, { market_id: 'qb' }),
      buy(3, 0, 5n, 1n),
    )
    expect(rows).toEqual([])
    expect(places).toEqual(['m/0', 'qa/1', 'qb/0'])
    expect(position(1, 'qa')).toMatchObject({ size: 4n, cost: 3n, is_complete: false })
    expect(position(0, 'qb').is_complete).toBe(false)
    expect(position(0).is_complete).toBe(true)
  })

  test('of an unknown conversion, a group without positions gets an empty one', async () => {
    const { position, places } = await ledgerOf(convert(2, 4n, null))
    expect(places).toEqual(['qc/1'])
    expect(position(1, 'qc')).toMatchObject({ size: 0n, bought: 0n, first_at: 2, last_at: 2, is_complete: false })
  })

  test('know their group by its market, and questions beyond a machine word', async () => {
    const far = { neg_risk_id: null, market_id: 'far' }
    const { rows } = await ledgerOf(buy(1, 1, 4n, 3n, { market_id: 'far' }), convert(2, 4n, 1n << 200n, far))
    expect(rows).toEqual(['conversion far/1 4: 0 - 3 = -3'])
  })
})

test('a fill in a market that is not described is an error, not a loss', async () => {
  await expect(ledgerOf(buy(1, 0, 4n, 3n, { market_id: 'nowhere' }))).rejects.toThrow(/cluster_index: null/)
})

test('a total beyond 63 bits is an error, not a small number', async () => {
  const most = 10n ** 18n - 1n
  const buys = Array.from({ length: 10 }, (_, ts) => buy(ts, 0, most, most))
  await expect(ledgerOf(...buys.slice(0, 9))).rejects.toThrow(/DECIMAL\(18,0\)/)
  await expect(ledgerOf(...buys)).rejects.toThrow('size: 9999999999999999990; expected a number of 63 bits')
})

test('traders do not touch each other', async () => {
  const bob = { trader: 'bob' }
  const [results] = await runLedgers(instance, models, [
    { events: [buy(1, 0, 4n, 3n), sell(2, 0, 4n, 4n, bob), resolve(3, first), redeem(4, 40n, bob)], context: world },
  ])
  expect(
    results?.positions.map(({ trader, size, size_untracked, untracked }) => [trader, size, size_untracked, untracked]),
  ).toEqual([
    ['ann', 4n, 0n, 0n],
    ['bob', 0n, 4n, 44n],
  ])
})

test('no events make no rows', async () => {
  expect(await runLedgers(instance, models, [{ events: [], context: world }])).toEqual([
    { realizations: [], positions: [] },
  ])
})
