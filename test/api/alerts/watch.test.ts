import { afterAll, beforeAll, expect, test } from 'vitest'

import { evaluateAlerts } from '#api/alerts/watch.ts'
import type { SignalRow } from '#test/api/feed_marts.ts'
import { startService, type Service } from '#test/api/service.ts'

import { linkChat, outboxOf } from './linked.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ rateFactor: 1_000, rows: { markets: [{ id: market, yes: '0.50' }] } })
  await linkChat(service.accounts, service.keys.pro, 41)
})
afterAll(() => service.stop())

const market = `polymarket:0x${'5f'.repeat(32)}`
const wallet = `0x${'ab'.repeat(20)}`
const post = (body: object, key = service.keys.pro) =>
  service.ask('/v1/alerts', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const remove = (id: string) =>
  service.ask(`/v1/alerts?id=${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${service.keys.pro}` } })
const evaluateNow = () =>
  evaluateAlerts({
    accounts: service.accounts,
    marts: service.marts,
    now: () => service.clock.at,
    goesOn: async () => true,
  })
const empty = () => service.accounts.deleteFrom('outbox').execute()
let n_publishes = 0
const publishPulse = (yes: string, feed: SignalRow[] = []) =>
  service.publish(`alerts-${++n_publishes}`, { markets: [{ id: market, yes }], feed }, 'pulse')

test('an alert with conditions of figures is refused for any entity, and the refusal does not name `*`', async () => {
  const refusalOf = async (body: object) => String((await post(body)).json['message'])
  const expected = 'expected one entity, since conditions are given: a market id `<platform>:<native id>`'
  const threshold = { price_above: 0.8 }
  expect(await refusalOf({ type: 'market', threshold })).toContain(`entity: missing; ${expected}`)
  expect(await refusalOf({ type: 'market', entity: '*', threshold })).toContain(`"*"; ${expected}`)
  expect(await refusalOf({ type: 'market', entity: 'x' })).toContain('expected `*`, or a market id')
  expect(await refusalOf({ type: 'market', threshold: null })).toBe(
    'threshold: invalid value null; expected a JSON object.',
  )
})

test('an alert is created, listed and deleted; without a linked chat it is a 409', async () => {
  const { status, json, headers } = await post({
    type: 'market',
    entity: market.toUpperCase().replace('POLYMARKET:0X', 'polymarket:0x'),
    threshold: { price_above: 0.6 },
  })
  expect(status).toBe(201)
  expect(json).toEqual({
    id: json['id'],
    type: 'market',
    entity: market,
    threshold: { price_above: 0.6 },
    active: true,
  })
  expect(headers['location']).toBe(`/v1/alerts?id=${String(json['id'])}`)
  const listed = await service.ask('/v1/alerts', { headers: { authorization: `Bearer ${service.keys.pro}` } })
  expect(listed.items).toEqual([json])
  expect((await remove(String(json['id']))).json).toEqual({ deleted: true, id: json['id'] })
  expect((await remove(String(json['id']))).status).toBe(404)
  const unlinked = await post({ type: 'signal' }, service.keys.enterprise)
  expect([unlinked.status, unlinked.json['error']]).toEqual([409, 'messaging_account_required'])
})

test.each([
  [{ type: 'market', threshold: { price_above: 0.5 } }, 'entity: '],
  [{ type: 'market', entity: market, threshold: { price_above: 2 } }, 'threshold.price_above: '],
  [{ type: 'market', entity: market, threshold: { pnl_change: 5 } }, 'threshold.pnl_change: '],
  [{ type: 'wallet', entity: wallet, threshold: { pnl_change: 0 } }, 'threshold.pnl_change: '],
  [{ type: 'wallet', entity: 'BTC' }, 'entity: '],
  [{ type: 'signal', threshold: { min_score: 'high' } }, 'threshold.min_score: '],
  [{ type: 'social', entity: 'BTC', threshold: { sentiment: 'neutral' } }, 'threshold.sentiment: '],
  [{ type: 'all' }, 'type: '],
])('%j is a 400 that names the field', async (body, thing) => {
  const { status, json } = await post(body)
  expect(status).toBe(400)
  expect(String(json['message'])).toMatch(new RegExp(`^${thing.replaceAll('.', '\\.')}`))
})

test('a market alert fires once per crossing, and its message names the figures', async () => {
  await publishPulse('0.5')
  const { json } = await post({ type: 'market', entity: market, threshold: { price_above: 0.6 } })
  for (const yes of ['0.55', '0.65', '0.7', '0.5', '0.9']) {
    await publishPulse(yes)
    await evaluateNow()
    await evaluateNow()
  }
  const messages = await outboxOf(service.accounts)
  expect(messages).toHaveLength(2)
  expect(messages[0]).toContain('price 0.65')
  expect(messages[1]).toContain('price 0.9')
  await remove(String(json['id']))
  await empty()
})

test('an alert without conditions fires once for each new signal that fits, with the detail of its tier', async () => {
  const at = (minute: number) => `2026-03-01 11:${String(minute).padStart(2, '0')}:00`
  const old: SignalRow = { id: 'sig_old', at: at(1), type: 'wallet', entity: wallet }
  await publishPulse('0.5', [old])
  const any = await post({ type: 'wallet' })
  const own = await post({ type: 'wallet', entity: wallet })
  const strong = await post({ type: 'signal', threshold: { min_score: 80 } })
  const feed: SignalRow[] = [
    old,
    { id: 'sig_1', at: at(2), type: 'wallet', entity: wallet, summary: 'A <b>&</b> B.', tier_required: 'pro' },
    { id: 'sig_2', at: at(3), type: 'wallet', entity: '0xother', summary: 'Not for pro.', tier_required: 'enterprise' },
    { id: 'sig_3', at: at(4), type: 'signal', entity: 'BTC', score: 79 },
    { id: 'sig_4', at: at(5), type: 'signal', entity: 'BTC', score: 80 },
  ]
  await publishPulse('0.5', feed)
  await Promise.all([evaluateNow(), evaluateNow()])
  await publishPulse('0.5', feed)
  await evaluateNow()
  const messages = await outboxOf(service.accounts)
  expect(messages.filter((text) => text.includes('A <b>&</b> B.'))).toHaveLength(2)
  expect(messages.filter((text) => text.includes('A headline.'))).toHaveLength(1)
  expect(messages.filter((text) => text.includes('BTC'))).toHaveLength(1)
  expect(messages.join('')).not.toMatch(/Not for pro|0xother/)
  for (const { json } of [any, own, strong]) await remove(String(json['id']))
  await empty()
})

test('an account that lost its tier or its chat gets no messages', async () => {
  await publishPulse('0.5')
  const { json } = await post({ type: 'market', entity: market, threshold: { price_above: 0.6 } })
  await service.accounts.updateTable('messaging').set({ chat_id: null }).execute()
  await publishPulse('0.9')
  await evaluateNow()
  expect(await outboxOf(service.accounts)).toEqual([])
  const { items } = await service.ask('/v1/alerts', { headers: { authorization: `Bearer ${service.keys.pro}` } })
  expect(items).toMatchObject([{ id: json['id'], active: false }])
})

test('the wallet of an alert is followed', async () => {
  await service.accounts.updateTable('messaging').set({ chat_id: '41' }).execute()
  await post({ type: 'wallet', entity: wallet, threshold: { pnl_change: 100 } })
  const { json } = await service.ask('/v1/account', { headers: { authorization: `Bearer ${service.keys.pro}` } })
  expect(json['following']).toEqual([expect.stringMatching(new RegExp(wallet, 'i'))])
})
