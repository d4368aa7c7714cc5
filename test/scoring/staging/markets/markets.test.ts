import { describe, expect, test } from 'vitest'

import { clock, cut, run, type Given } from '#test/scoring/model.ts'

const seen = (seen_at: string, status: string, more: Record<string, string | number | null> = {}) => ({
  market_id: 'polymarket:a',
  seen_at,
  status,
  created_at: '2026-01-01',
  source: 'gamma',
  ...more,
})
const preferred = [
  { dataset: 'markets', source: 'gamma', precedence: 2 },
  { dataset: 'markets', source: 'clob', precedence: 1 },
  { dataset: 'fills', source: 'clob', precedence: 9 },
]

const known = async (markets: Given[string], at = clock) =>
  cut(
    await run('staging.markets', { 'lake.markets': markets, 'staging.precedences': preferred }, at),
    'status',
    'source',
    'is_hindsight',
  )

describe('a market as described', () => {
  const [old, last, later, latest] = ['2026-11-01', clock, '2026-11-20 12:00:00.000001', '2026-12-01']

  test('is the last description at the clock, to its instant', async () => {
    const markets = [seen(old, 'old'), seen(last, 'last'), seen(later, 'later')]
    expect(await known(markets)).toEqual([['last', 'gamma', false]])
  })

  test('is, before the first one, the first later one, and says so', async () => {
    expect(await known([seen(latest, 'latest'), seen(later, 'later')])).toEqual([['later', 'gamma', true]])
  })

  test('is not there before its creation, or before it was seen if its creation is unknown', async () => {
    expect(await known([seen(old, 'old', { created_at: '2026-11-20 12:00:01' })])).toEqual([])
    const unborn = seen(later, 'later', { created_at: null })
    expect(await known([unborn])).toEqual([])
    expect(await known([{ ...unborn, seen_at: last }])).toEqual([['later', 'gamma', false]])
  })

  test('is by the preferred source, of two that are not ranked by the name that comes first', async () => {
    const markets = [seen(last, 'of clob', { source: 'clob' }), seen(old, 'of gamma')]
    expect(await known(markets)).toEqual([['of gamma', 'gamma', false]])
    const unranked = [seen(last, 'of b', { source: 'b' }), seen(last, 'of a', { source: 'a' })]
    expect(await known(unranked)).toEqual([['of a', 'a', false]])
    expect(await known([...unranked, ...markets])).toEqual([['of gamma', 'gamma', false]])
  })

  test('is by who had seen it by then, before who is preferred and had not', async () => {
    const markets = [seen(later, 'of gamma'), seen(old, 'of clob', { source: 'clob' })]
    expect(await known(markets)).toEqual([['of clob', 'clob', false]])
    expect(await known([seen(later, 'of gamma'), seen(later, 'of clob', { source: 'clob' })])).toEqual([
      ['of gamma', 'gamma', true],
    ])
  })

  test('is one row, however many there are', async () => {
    const markets = ['a', 'b', 'c'].flatMap((name) =>
      [old, last, later].map((at) => seen(at, `${name} ${at}`, { market_id: `polymarket:${name}` })),
    )
    expect((await known(markets)).map(([status]) => status)).toEqual(['a', 'b', 'c'].map((name) => `${name} ${last}`))
  })
})
