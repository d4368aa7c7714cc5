import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'

import { createKey, findKey } from '#accounts/keys.ts'
import { tiers } from '#accounts/tiers.ts'
import type { SignalRow } from '#test/api/feed_marts.ts'
import { startService, type Service } from '#test/api/service.ts'
import { until } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'

import { listen, type StreamClient } from './listener.ts'

let service: Service
const clients: StreamClient[] = []
beforeAll(async () => {
  service = await startService({ rateFactor: 1_000 })
})
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})
afterAll(() => service.stop())

let n_published = 0
const all: SignalRow[] = []
/** Publishes some more signals. */
const add = async (n: number, more: Partial<SignalRow> = {}): Promise<string[]> => {
  const added = Array.from({ length: n }, (): SignalRow => {
    const at = new Date(Date.UTC(2026, 2, 1) + ++n_published * 1_000).toISOString().slice(0, 23).replace('T', ' ')
    return { id: `sig_${n_published}`, at, ...more }
  })
  all.push(...added)
  await service.publish(`stream-${n_published}-${all.length}`, { feed: all }, 'pulse')
  return added.map(({ id }) => id)
}
const open = async (of: Parameters<typeof listen>[2] = {}, key = service.keys.pro): Promise<StreamClient> => {
  const client = await listen(service.port, key, of)
  clients.push(client)
  return client
}
const has = (client: StreamClient, ids: readonly string[]): Promise<void> =>
  until(() => client.ids.length >= ids.length).then(() => expect(client.ids).toEqual(ids))

test('new signals are streamed once each, in the order of publication, and a stream resumes after its last event', async () => {
  const before = await add(3)
  const live = await open()
  expect(live.status).toBe(200)
  expect(live.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  const first = await add(4)
  await has(live, first)
  const late = await open({ lastEventId: before[1] ?? '' })
  await has(late, [before[2] ?? '', ...first])
  const second = await add(2)
  await has(live, [...first, ...second])
  await has(late, [before[2] ?? '', ...first, ...second])
  const since = await open({ query: '?since=2026-03-01T00:00:07Z' })
  await has(since, second)
  expect(JSON.parse(live.data[0] ?? '{}')).toMatchObject({ id: first[0], timestamp: '2026-03-01T00:00:04.000Z' })
})

test('a type is filtered, and parameters of pages and unknown events are a 400', async () => {
  const socials = await open({ query: '?type=social' })
  await add(1)
  const [social = ''] = await add(1, { type: 'social', entity: 'SOL' })
  await has(socials, [social])
  for (const of of [
    { query: '?limit=5' },
    { query: '?cursor=abc' },
    { lastEventId: 'sig_unknown' },
    { query: '?since=x' },
  ])
    expect((await open(of)).status).toBe(400)
})

test('an event has no more detail than the tier of its listener', async () => {
  const locked = {
    type: 'wallet',
    entity: `0x${'77'.repeat(20)}`,
    summary: 'The detail.',
    tier_required: 'pro',
  } as const
  const [free, pro] = [await open({}, service.keys.free), await open()]
  await add(1, locked)
  await until(() => free.data.length === 1 && pro.data.length === 1)
  expect(free.data[0]).not.toMatch(/7777|detail/)
  expect(JSON.parse(free.data[0] ?? '{}')).toMatchObject({ entity: '0x12…ab', summary: 'A headline.' })
  expect(pro.data[0]).toMatch(/The detail/)
})

test('a stream ends when its key ends', async () => {
  const key = await createKey(service.accounts, { tier: 'pro', now: service.clock.at })
  const stream = await open({}, key)
  const caller = await findKey(service.accounts, key)
  expect(caller).not.toBeNull()
  await service.accounts
    .updateTable('keys')
    .set({ revoked_at: 1 })
    .where('account_id', '=', caller?.account_id ?? '')
    .execute()
  service.clock.at += 10_000_000
  await until(stream.isEnded)
})

test('a stream resumes after its last event at a service that started anew', async () => {
  await add(3)
  const again = await startService({ rateFactor: 1_000 })
  onTestFinished(again.stop)
  await again.publish('resumed', { feed: all }, 'pulse')
  const client = await listen(again.port, again.keys.pro, { lastEventId: all[1]?.id ?? '' })
  onTestFinished(client.close)
  const rest = all.slice(2).map(({ id }) => id)
  await until(() => client.ids.length >= rest.length)
  expect(client.ids).toEqual(rest)
})

test('many listeners, of whom some read slowly and some reconnect, lose and double nothing', async () => {
  const n_listeners = sized(25, 100, 500)
  const from = (await add(1))[0] ?? ''
  const listeners: { ids: string[]; client: StreamClient; key: string }[] = []
  let key = ''
  for (let i = 0; i < n_listeners; i++) {
    // Twenty for each account leave places below its cap: a closed stream frees its place a little later.
    if (i % 20 === 0) key = await createKey(service.accounts, { tier: 'pro', now: 1 })
    const client = await open({ lastEventId: from }, key)
    expect(client.status).toBe(200)
    if (i % 5 === 0) client.pause()
    listeners.push({ ids: [], client, key })
  }
  const expected: string[] = []
  for (let round = 0; round < 6; round++) {
    expected.push(...(await add(250, { summary: 'x'.repeat(300) })))
    for (const one of listeners.filter((_, i) => i % 7 === round)) {
      one.client.close()
      one.ids.push(...one.client.ids)
      one.client = await open({ lastEventId: one.ids.at(-1) ?? from }, one.key)
    }
  }
  for (const { client } of listeners) client.resume()
  for (const { ids, client } of listeners) {
    await until(() => ids.length + client.ids.length >= expected.length)
    expect([...ids, ...client.ids]).toEqual(expected)
  }
})

test('a key that has all streams of its tier gets a 429, and another account still gets a stream', async () => {
  const most = tiers.free.streams
  const key = await createKey(service.accounts, { tier: 'free', now: 1 })
  const greedy: StreamClient[] = []
  for (let n = 0; n < most; n++) greedy.push(await open({}, key))
  expect(greedy.map(({ status }) => status)).toEqual(greedy.map(() => 200))
  const refused = await open({}, key)
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5'])
  const other = await open()
  expect(other.status).toBe(200)
  await has(other, await add(1))
  greedy[0]?.close()
  await until(async () => (await open({}, key)).status === 200)
})
