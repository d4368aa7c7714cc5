import { describe, expect, test } from 'vitest'

import { parseColumns, typeOf } from '#builder/columns.ts'

describe('a name says its type', () => {
  test.each([
    ['ts', 'TIMESTAMP'],
    ['seen_at', 'TIMESTAMP'],
    ['as_of', 'TIMESTAMP'],
    ['day', 'DATE'],
    ['usd', 'DECIMAL(38,6)'],
    ['cash_usd', 'DECIMAL(38,6)'],
    ['amount_sold', 'BIGNUM'],
    ['size_untracked', 'DECIMAL(38,6)'],
    ['price', 'DECIMAL(9,6)'],
    ['yes_price', 'DECIMAL(9,6)'],
    ['payout', 'DECIMAL(9,6)'],
    ['lower_win_rate', 'DECIMAL(9,6)'],
    ['scored_share', 'DECIMAL(9,6)'],
    ['mindshare_pct', 'DECIMAL(9,6)'],
    ['edge_points', 'DECIMAL(9,6)'],
    ['credit', 'DECIMAL(38,6)'],
    ['n_rows', 'BIGINT'],
    ['held_s', 'BIGINT'],
    ['parent_block', 'BIGINT'],
    ['log_index', 'INTEGER'],
    ['rank', 'INTEGER'],
    ['is_open', 'BOOLEAN'],
    ['market_id', 'VARCHAR'],
    ['address', 'VARCHAR'],
  ])('%s: %s', (name, type) => {
    expect(typeOf(name)).toBe(type)
  })

  test('by the first pattern that fits: a count in a day is no date', () => {
    expect(typeOf('n_day_trades')).toBe('BIGINT')
    expect(typeOf('starts_by')).toBe('VARCHAR')
  })
})

describe('columns', () => {
  test('are a key up to the semicolon and the rest after it', () => {
    expect(parseColumns(' market_id, ts; bid?, labels VARCHAR[], clv_se? DOUBLE ')).toEqual([
      { name: 'market_id', sql: 'VARCHAR', isNullable: false, isKey: true },
      { name: 'ts', sql: 'TIMESTAMP', isNullable: false, isKey: true },
      { name: 'bid', sql: 'DECIMAL(9,6)', isNullable: true, isKey: false },
      { name: 'labels', sql: 'VARCHAR[]', isNullable: false, isKey: false },
      { name: 'clv_se', sql: 'DOUBLE', isNullable: true, isKey: false },
    ])
  })

  test('may go over lines, and types may hold commas', () => {
    const columns = parseColumns('address;\npnl DECIMAL(38,2),\ntraits MAP(VARCHAR, DOUBLE), e STRUCT(a INT, b INT)[]')
    expect(columns.map(({ sql }) => sql)).toEqual([
      'VARCHAR',
      'DECIMAL(38,2)',
      'MAP(VARCHAR, DOUBLE)',
      'STRUCT(a INT, b INT)[]',
    ])
  })

  test('may be nothing but a key', () => {
    expect(parseColumns('trader; ')).toHaveLength(1)
    expect(parseColumns('trader')).toEqual(parseColumns('trader;'))
  })

  test('that do not parse are rejected with the expected form', () => {
    expect(() => parseColumns('a; b; c')).toThrow('columns "a; b; c": several semicolons; expected one, after the key')
    expect(() => parseColumns('a; B')).toThrow('column "B": invalid; expected a name, then optionally ? and a type')
    expect(() => parseColumns('a; 2nd')).toThrow('column "2nd"')
  })

  test('without a key, or named twice, are refused', () => {
    expect(() => parseColumns('; b')).toThrow('columns "; b": no key')
    expect(() => parseColumns('a, b; a')).toThrow('column a is named twice; expected unique names')
  })
})
