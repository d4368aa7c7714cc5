import { describe, expect, test } from 'vitest'

import { pushedTrade, pushedType, withRoles } from '#sources/markets/polymarket/wire/push_messages.ts'
import { hex, inV1, tradeBody, wallet } from '#test/sources/markets/polymarket/wire.ts'

const at_s = 1_790_000_000
type Body = Record<string, unknown>
const payload = (more: Body = {}): Body => inV1(tradeBody({ timestamp: at_s, ...more }))
const frame = (more: Body = {}, type: string | null = 'trades', topic: string | null = 'activity'): string =>
  JSON.stringify({
    connection_id: 'x',
    ...(topic && { topic }),
    ...(type && { type }),
    timestamp: 1,
    payload: payload(more),
  })
const fillOf = (text: string) => {
  const trade = pushedTrade(text)
  if (trade === null) throw new Error('no trade; expected one')
  return trade.fill
}

describe('a pushed trade', () => {
  test('has the instant of its block, its wallet in lower case, and no role', () => {
    const { fill, at } = pushedTrade(frame({ proxy_wallet: wallet(1).replace('a', 'A') })) ?? {}
    expect(at).toBe((at_s + 1) * 1e6)
    expect(fill).toMatchObject({ ts: (at_s + 1) * 1e6, trader: wallet(1), role: null, price: 500_000n, seq: 0 })
  })

  test('may have its time as text, and no topic or type', () => {
    expect(fillOf(frame({ timestamp: String(at_s) }))).toEqual(fillOf(frame()))
    expect(fillOf(frame({}, null, null))).toEqual(fillOf(frame()))
    expect([pushedType(frame()), pushedType(frame({}, null, null)), pushedType('{}'), pushedType('')]).toEqual([
      'trades',
      'unnamed',
      null,
      null,
    ])
  })

  test('is no other message, and is refused where it does not parse', () => {
    for (const text of [
      '',
      '{"statusCode":200}',
      '{"topic":"comments","type":"comment_created","payload":{"id":"1"}}',
    ]) {
      expect(pushedTrade(text)).toBeNull()
    }
    for (const more of [{ size: 'twelve' }, { timestamp: 'now' }, { price: 2 }])
      expect(() => pushedTrade(frame(more))).toThrow(/expected/)
    expect(() => pushedTrade('no json')).toThrow(SyntaxError)
  })
})

describe('the roles of an hour', () => {
  const taker = { transaction_hash: hex(1), proxy_wallet: wallet(1) }
  const maker = { ...taker, proxy_wallet: wallet(2), side: 'SELL' }
  const rolesOf = (...texts: string[]) => {
    const { fills = [] } = withRoles({ fills: texts.map(fillOf) })
    return fills.map(({ trader, role, size, seq }) => [trader, role, size / 1_000_000n, seq])
  }

  test('follow from the taker that is announced, whichever message is first', () => {
    const expected = [
      [wallet(1), 'taker', 10n, 0],
      [wallet(2), 'maker', 10n, 0],
    ]
    const announced = frame(taker, 'orders_matched')
    expect(rolesOf(frame(taker), announced, frame(maker))).toEqual(expected)
    expect(rolesOf(announced, frame(taker), frame(maker))).toEqual(expected)
  })

  test('are unknown without it; a taker that is announced alone is a row', () => {
    expect(rolesOf(frame(taker), frame(maker)).map(([, role]) => role)).toEqual([null, null])
    expect(rolesOf(frame(taker, 'orders_matched'))).toEqual([[wallet(1), 'taker', 10n, 0]])
    expect(rolesOf(frame(maker), frame(taker, 'orders_matched'))).toEqual([
      [wallet(2), 'maker', 10n, 0],
      [wallet(1), 'taker', 10n, 0],
    ])
  })

  test('never double a fill that is announced in other numbers', () => {
    expect(rolesOf(frame(taker), frame({ ...taker, size: 11, price: 0.4 }, 'orders_matched'))).toEqual([
      [wallet(1), 'taker', 10n, 0],
    ])
  })

  test('stay with rows that were stored with them', () => {
    const { fills = [] } = withRoles({ fills: [frame(taker), frame(taker, 'orders_matched')].map(fillOf) })
    const { fills: again = [] } = withRoles({ fills: [...fills, fillOf(frame(maker))] })
    expect(again.map(({ role }) => role)).toEqual(['taker', 'maker'])
  })
})
