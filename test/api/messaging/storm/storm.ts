import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import { openAccounts, type Accounts } from '#accounts/accounts.ts'
import { createAlert } from '#accounts/alerts/alerts.ts'
import { createKey } from '#accounts/keys.ts'
import { createRandom } from '#sim/random.ts'
import { serveBotApi } from '#sim/telegram/bot_api.ts'
import type { Attempt } from '#sim/telegram/chats.ts'
import type { Disturbance } from '#sim/telegram/faults.ts'
import { linkChat } from '#test/api/alerts/linked.ts'
import type { SignalRow } from '#test/api/feed_marts.ts'
import { newMartsDir, publish, type SnapshotRows } from '#test/api/fixture.ts'
import { machineClock } from '#time.ts'

import { token } from './node.ts'
import { openNodes } from './nodes.ts'

/**
 * `n_people` have `n_alerts` each, all of which fire in each of `n_rounds`. `n_nodes` evaluate and send; `n_kills`
 * times a sender is killed between sending and marking.
 */
export type Storm = {
  place: string
  n_people: number
  n_alerts: number
  n_rounds: number
  n_nodes: number
  n_kills: number
  seed: number
}

/** A firing as it is stored. */
export type Fired = { alert_id: string; cause: string; account_id: string; position: number; text: string }

/**
 * The state after a storm: each call of `sendMessage` in order, whether its sender was killed, and the stored firings.
 */
export type Aftermath = {
  attempts: (Attempt & { is_killed: boolean })[]
  firings: Fired[]
  /** The firings before and after marts of the same rows were built anew. */
  rebuilt: [before: Fired[], after: Fired[]]
  /** The chat and the thresholds of each account. */
  people: Map<string, { chat_id: number; thresholds: string[] }>
  /** The prices that cross each threshold, and the summaries of the signals. */
  prices: string[]
  summaries: string[]
}

const market = `polymarket:0x${'5f'.repeat(32)}`

/** Every second call goes wrong, in each way that a sender can meet. */
const disturber = (seed: number): (() => Disturbance | null) => {
  const random = createRandom(seed)
  const ways: Disturbance[] = [
    { kind: 'rejected', fault: { status: 429, description: 'Too Many Requests: retry after 1', retry_after: 1 } },
    { kind: 'rejected', fault: { status: 500, description: 'Internal Server Error' } },
    { kind: 'rejected', fault: { status: 502, description: 'Bad Gateway' } },
    { kind: 'cut' },
    { kind: 'lost' },
  ]
  return () => (random.chance(0.5) ? random.pick(ways) : null)
}

/** Runs a storm to its end: the outbox is empty. */
export async function runStorm(of: Storm): Promise<Aftermath> {
  const accounts = await openAccounts(of.place)
  const { dir, remove } = await newMartsDir()
  const disturb = disturber(of.seed)
  const api = await serveBotApi({
    token,
    username: 'a_bot',
    clock: machineClock,
    disturb: (method) => (method === 'sendMessage' ? disturb() : null),
  })
  const nodes = openNodes(of, { dir, url: api.url })
  const attempts: Aftermath['attempts'] = []
  const killAfter = kills(of)
  api.onAttempt((attempt, caller) => {
    // The bot also answers the people who pressed Start.
    if (!attempt.text.startsWith('<b>')) return
    const arrived = attempt.outcome === 'delivered' || attempt.outcome === 'lost'
    // The sender dies between sending and marking: the message has arrived, and its answer has not.
    const is_killed = arrived && attempts.length >= (killAfter[0] ?? Number.POSITIVE_INFINITY)
    if (is_killed) killAfter.shift()
    if (is_killed) nodes.kill(caller)
    attempts.push({ ...attempt, is_killed })
  })
  try {
    api.say({ id: 1, username: 'witness' }, '/start')
    const people = await settle(accounts, of, (chat_id) =>
      api.say({ id: chat_id, username: `person_${chat_id}` }, '/start'),
    )
    const rounds = await runRounds(accounts, of, { dir, start: nodes.start })
    await untilZero(() => countOf(accounts, 'outbox'))
    return { attempts, people, firings: await firingsOf(accounts), ...rounds }
  } finally {
    await nodes.end()
    await api.close()
    await accounts.destroy()
    await remove()
  }
}

/** The calls after which a sender is killed, spread over the expected ones. */
const kills = ({ n_people, n_alerts, n_rounds, n_kills }: Storm): number[] => {
  const n_messages = n_people * n_alerts * n_rounds
  return Array.from({ length: n_kills }, (_, i) => Math.floor((n_messages * (i + 0.5)) / n_kills))
}

/**
 * Creates people with linked chats and alerts: each but the last has a threshold of its own, the last takes signals.
 */
async function settle(
  accounts: Accounts,
  { n_people, n_alerts }: Storm,
  open: (chat_id: number) => void,
): Promise<Aftermath['people']> {
  const people: Aftermath['people'] = new Map()
  const state = { is_armed: true, baseline: null, seen_at: 0 }
  for (let person = 0; person < n_people; person++) {
    const chat_id = 1_000 + person
    open(chat_id)
    const account_id = await linkChat(accounts, await createKey(accounts, { tier: 'enterprise', now: 1 }), chat_id)
    const thresholds = Array.from({ length: n_alerts - 1 }, (_, n) => 0.5 + (person * n_alerts + n) * 1e-6)
    const rowOf = (type: 'market' | 'signal', entity: string, threshold: object) => ({
      id: randomUUID(),
      account_id,
      type,
      entity,
      address: null,
      threshold: JSON.stringify(threshold),
      created_at: 0,
      state: JSON.stringify(state),
    })
    // One statement in place of five for each alert: creating them is no part of a storm.
    await accounts
      .insertInto('alerts')
      .values([...thresholds.map((price_above) => rowOf('market', market, { price_above })), rowOf('signal', '*', {})])
      .execute()
    people.set(account_id, { chat_id, thresholds: thresholds.map(String) })
  }
  return people
}

/** Crosses every threshold in each round, publishes a signal in each, and builds the last marts anew. */
async function runRounds(
  accounts: Accounts,
  of: Storm,
  { dir, start }: { dir: string; start: () => void },
): Promise<Pick<Aftermath, 'rebuilt' | 'prices' | 'summaries'>> {
  const prices = Array.from({ length: of.n_rounds }, (_, round) => `0.${71 + round}`)
  const feed: SignalRow[] = []
  const rows = (yes: string, volume = '0'): SnapshotRows => ({ markets: [{ id: market, yes, volume }], feed })
  const witness = await addWitness(accounts)
  const fired = async () => (await firingsOf(accounts)).filter(({ account_id }) => account_id !== witness)
  await publish(dir, 'first', rows('0.4'))
  start()
  let rebuilt: Aftermath['rebuilt'] = [[], []]
  for (const [round, yes] of prices.entries()) {
    const summary = `The signal of round ${round}.`
    feed.push({ id: `sig_${round}`, at: `2026-03-01 11:${10 + round}:00`, type: 'signal', entity: 'BTC', summary })
    await publish(dir, `high-${round}`, rows(yes), 'pulse')
    const expected = (round + 1) * of.n_people * of.n_alerts + round
    await untilZero(async () => expected - (await countOf(accounts, 'firings')))
    const before = await fired()
    // The same rows; the volume shows that they were evaluated.
    await publish(dir, `again-${round}`, rows(yes, '1'))
    await untilZero(async () => expected + 1 - (await countOf(accounts, 'firings')))
    await publish(dir, `low-${round}`, rows('0.4'), 'pulse')
    await untilZero(() => countUnarmed(accounts))
    rebuilt = [before, await fired()]
  }
  return { rebuilt, prices, summaries: feed.map(({ summary = '' }) => summary) }
}

/** An account whose alert fires when marts with a volume are evaluated. */
async function addWitness(accounts: Accounts): Promise<string> {
  const account_id = await linkChat(accounts, await createKey(accounts, { tier: 'pro', now: 1 }), 1)
  const state = { is_armed: true, baseline: null, seen_at: 0 }
  const alert = { account_id, address: null, state, most: 1, now: 1, threshold: { volume_24h: 1 } }
  await accounts.transaction().execute((db) => createAlert(db, { ...alert, type: 'market', entity: market }))
  return account_id
}

const firingsOf = (accounts: Accounts): Promise<Fired[]> =>
  accounts
    .selectFrom('firings')
    .select(['alert_id', 'cause', 'account_id', 'position', 'text'])
    .orderBy('account_id')
    .orderBy('position')
    .execute()

const countOf = async (accounts: Accounts, table: 'firings' | 'outbox'): Promise<number> => {
  const { n } = await accounts
    .selectFrom(table)
    .select(({ fn }) => fn.countAll().as('n'))
    .executeTakeFirstOrThrow()
  return Number(n)
}

const countUnarmed = async (accounts: Accounts): Promise<number> => {
  const { n } = await accounts
    .selectFrom('alerts')
    .where('state', 'like', '%"is_armed":false%')
    .select(({ fn }) => fn.countAll().as('n'))
    .executeTakeFirstOrThrow()
  return Number(n)
}

const stalled_ms = 300_000

/** Waits until a count is zero. Throws if it does not change for minutes. */
async function untilZero(count: () => Promise<number>): Promise<void> {
  let [last, changed_ms] = [Number.NaN, performance.now()]
  for (;;) {
    const n = await count()
    if (n === 0) return
    if (n !== last) [last, changed_ms] = [n, performance.now()]
    if (performance.now() - changed_ms > stalled_ms) throw new Error(`a storm: ${n} are left; expected progress`)
    await sleep(50)
  }
}
