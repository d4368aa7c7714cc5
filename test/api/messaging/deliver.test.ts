import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { KyselyPlugin } from 'kysely'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'

import { createKey } from '#accounts/keys.ts'
import { deliver, type DeliveryPace } from '#api/messaging/deliver.ts'
import { connectTelegram, telegram } from '#api/messaging/telegram.ts'
import { createRandom } from '#sim/random.ts'
import { serveBotApi } from '#sim/telegram/bot_api.ts'
import { linkChat } from '#test/api/alerts/linked.ts'
import { newStore } from '#test/api/store.ts'
import { until } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'
import { machineClock } from '#time.ts'

const token = '1:a-token'
const brisk: DeliveryPace = {
  bot_ms: 0,
  chat_ms: 0,
  n_at_once: 1,
  look_ms: 5,
  backoff_ms: 1,
  claim_ms: 5_000,
  most_tries: 300,
}

/** A Bot API with some people, each with messages in the outbox, in order. */
async function newWorld(n_people: number, n_messages: number) {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-'))
  const api = await serveBotApi({ token, username: 'tapeline_bot', clock: machineClock })
  const clock = { ahead: 0 }
  const now = () => machineClock() + clock.ahead
  const { accounts, close } = await newStore(home, now)
  const people = Array.from({ length: n_people }, (_, i) => ({ id: 100 + i, username: `person_${i}` }))
  for (const person of people) {
    api.say(person, '/start')
    const account_id = await linkChat(accounts, await createKey(accounts, { tier: 'pro', now: 1 }), person.id)
    const rows = Array.from({ length: n_messages }, (_, i) => ({
      account_id,
      position: i + 1,
      text: `${person.id}-${i}`,
      n_tries: 0,
      next_at: 0,
    }))
    await accounts.insertInto('outbox').values(rows).execute()
  }
  const senders: { ending: AbortController; ended: Promise<void> }[] = []
  const start = (of: { faults?: KyselyPlugin; pace?: DeliveryPace } = {}) => {
    const store = of.faults === undefined ? accounts : accounts.withPlugin(of.faults)
    const talk = { accounts: store, now, log: pino({ level: 'silent' }) }
    const ending = new AbortController()
    const { signal } = ending
    const connection = connectTelegram({ token, apiRoot: api.url, linkRoot: '' })(signal)
    const ended = deliver({ ...talk, messenger: telegram, connection, signal }, of.pace ?? brisk)
    const sender = { ending, ended }
    senders.push(sender)
    return sender
  }
  onTestFinished(async () => {
    for (const { ending } of senders) ending.abort()
    await Promise.all(senders.map(({ ended }) => ended))
    await api.close()
    await close()
    await rm(home, { recursive: true })
  })
  const left = async (): Promise<number> => {
    const { n } = await accounts
      .selectFrom('outbox')
      .select(({ fn }) => fn.countAll().as('n'))
      .executeTakeFirstOrThrow()
    return Number(n)
  }
  const received = (id: number) =>
    api
      .sent()
      .filter(({ chat_id }) => chat_id === id)
      .map(({ text }) => text)
  return { accounts, api, clock, people, start, left, received }
}

const expected = (id: number, n: number) => Array.from({ length: n }, (_, i) => `${id}-${i}`)

test('each message arrives in its own chat, in order, whichever call fails and whichever process sends', async () => {
  const n_messages = sized(4, 4, 8)
  const { api, people, start, left, received, clock } = await newWorld(sized(10, 15, 30), n_messages)
  const faults = Array.from({ length: 2 * people.length * n_messages }, (_, i) => {
    if (i % 2 === 1) return null
    return i % 3 === 0
      ? { status: 429, description: 'Too Many Requests: retry after 1', retry_after: 1 }
      : { status: 500, description: 'Internal Server Error' }
  })
  // Every second call fails.
  api.fail('sendMessage', ...faults)
  start()
  start()
  await until(async () => {
    clock.ahead += 1_000_000
    return (await left()) === 0
  })
  for (const { id } of people) expect(received(id)).toEqual(expected(id, n_messages))
})

test('a delay of 0 seconds that the Bot API asks for leaves the growing pause as it is', async () => {
  const { accounts, api, start, left } = await newWorld(1, 1)
  api.fail('sendMessage', { status: 429, description: 'Too Many Requests: retry after 0', retry_after: 0 })
  const begun = machineClock()
  start({ pace: { ...brisk, backoff_ms: 60_000 } })
  const first = () => accounts.selectFrom('outbox').select(['n_tries', 'next_at']).executeTakeFirst()
  await until(async () => (await first())?.n_tries !== 0)
  expect(await left()).toBe(1)
  expect((await first())?.next_at).toBeGreaterThan(begun + 30_000_000)
})

test('a lost answer repeats its message alone, and a sender that dies repeats one at most', async () => {
  const { api, people, start, left, received, clock } = await newWorld(3, 5)
  api.loseAnswers('sendMessage', 4)
  const first = start()
  await until(() => api.sent().length >= 3)
  first.ending.abort()
  await first.ended
  start()
  await until(async () => {
    clock.ahead += 2_000_000
    return (await left()) === 0
  })
  const texts = api.sent().map(({ text }) => text)
  expect(texts.length).toBeLessThanOrEqual(15 + 4 + 1)
  for (const { id } of people) {
    // Without its repetitions a chat has all messages in order.
    expect([...new Set(received(id))]).toEqual(expected(id, 5))
    expect(received(id).every((text) => text.startsWith(`${id}-`))).toBe(true)
    const order = received(id).map((text) => Number(text.split('-')[1]))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  }
})

/** Every third statement fails: it is not executed, or its answer is lost. */
function storeFaults(seed: number): { plugin: KyselyPlugin; counts: { refused: number; lost: number } } {
  const random = createRandom(seed)
  const counts = { refused: 0, lost: 0 }
  const fail = (kind: keyof typeof counts): void => {
    if (!random.chance(1 / 6)) return
    counts[kind] += 1
    throw new Error('the store: connection lost')
  }
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      fail('refused')
      return node
    },
    transformResult: async ({ result }) => {
      fail('lost')
      return result
    },
  }
  return { plugin, counts }
}

test('a store that fails at any step delays no message until its claim ends, and repeats none', async () => {
  const n_messages = sized(15, 20, 40)
  const { api, people, start, left, received } = await newWorld(2, n_messages)
  const { plugin, counts } = storeFaults(16)
  api.fail('sendMessage', { status: 500, description: 'Internal Server Error' })
  // The claims of this test do not end.
  start({ faults: plugin, pace: { ...brisk, claim_ms: 3_600_000 } })
  await until(async () => (await left()) === 0)
  for (const { id } of people) expect(received(id)).toEqual(expected(id, n_messages))
  for (const n of Object.values(counts)) expect(n).toBeGreaterThan(n_messages / 2)
})

test('a person who blocks the bot is unlinked and gets nothing more, and others do', async () => {
  const { accounts, api, people, start, left, received } = await newWorld(3, 4)
  const [blocker] = people
  if (blocker === undefined) throw new Error('a person is expected')
  api.block(blocker)
  start()
  await until(async () => (await left()) === 0)
  expect(received(blocker.id)).toEqual([])
  for (const { id } of people.slice(1)) expect(received(id)).toEqual(expected(id, 4))
  const chats = await accounts.selectFrom('messaging').select('chat_id').where('chat_id', 'is', null).execute()
  expect(chats).toHaveLength(1)
})
