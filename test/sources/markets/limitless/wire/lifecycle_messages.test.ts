import { describe, expect, test } from 'vitest'

import { pushedLifecycle, pushedName } from '#sources/markets/limitless/wire/lifecycle_messages.ts'

const text = (name: string, payload: unknown): string => `42/markets,${JSON.stringify([name, payload])}`
const at = Date.UTC(2026, 10, 20, 12) * 1000
const iso = '2026-11-20T12:00:00.000Z'

describe('a pushed creation', () => {
  const body = { slug: 'btc-up-1', title: 'BTC up?', type: 'CLOB', categoryIds: [2], createdAt: iso }
  const created = (more: Record<string, unknown> = {}) => pushedLifecycle(text('marketCreated', { ...body, ...more }))

  test('is an open market with its question, of which the rest is unknown', () => {
    const event = created()
    expect(event?.at).toBe(at)
    expect(event?.rows.markets).toMatchObject([
      {
        market_id: 'limitless:btc-up-1',
        seen_at: at,
        created_at: at,
        event_id: 'limitless:btc-up-1',
        question: 'BTC up?',
        token_ids: ['btc-up-1:0', 'btc-up-1:1'],
        status: 'open',
        is_open: true,
        ends_at: null,
        collateral: '',
      },
    ])
  })

  test('is of the event of its group, and of a group itself no market', () => {
    expect(created({ groupSlug: 'who-wins' })?.rows.markets?.[0]?.event_id).toBe('limitless:who-wins')
    expect(created({ type: 'group' })).toEqual({ at, rows: {} })
  })

  test('may have its time in milliseconds', () => {
    expect(created({ createdAt: at / 1000 })?.at).toBe(at)
  })

  test.each([
    [{ slug: 7 }, 'slug'],
    [{ createdAt: 'today' }, 'createdAt'],
    [{ title: null }, 'title'],
  ])('with %j does not parse', (more, name) => {
    expect(() => created(more)).toThrow(name)
  })
})

describe('a pushed resolution', () => {
  const body = { slug: 'btc-up-1', type: 'AMM', winningOutcome: 'YES', winningIndex: 0, resolutionDate: iso }
  const resolved = (more: Record<string, unknown> = {}) => pushedLifecycle(text('marketResolved', { ...body, ...more }))
  const of = (payouts: bigint[]) => [
    { market_id: 'limitless:btc-up-1', ts: at, venue: 'limitless', payouts, status: 'resolved', tx: null },
  ]

  test('has the payouts of its winner', () => {
    expect(resolved()).toEqual({ at, rows: { resolutions: of([1_000_000n, 0n]) } })
    const second = { winningOutcome: 'No', winningIndex: '1' }
    expect(resolved(second)?.rows.resolutions).toEqual(of([0n, 1_000_000n]))
  })

  test.each([
    { winningIndex: null, winningOutcome: '' },
    { winningIndex: -1, winningOutcome: null },
  ])('without a winner (%j) has no payouts', (more) => expect(resolved(more)).toEqual({ at, rows: {} }))

  test('that contradicts itself does not parse', () => {
    expect(() => resolved({ winningIndex: 1 })).toThrow('contradicts winningIndex; expected YES for 0 and NO for 1')
  })
})

test('other texts have no event of the lifecycle', () => {
  expect(pushedLifecycle(text('system', { message: 'Subscribed' }))).toBeNull()
  expect(pushedLifecycle('45/markets,1-["a"]')).toBeNull()
  expect([pushedName(text('system', {})), pushedName('2'), pushedName('42/markets,[7]')]).toEqual([
    'system',
    null,
    null,
  ])
})
