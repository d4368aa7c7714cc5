import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { openAccounts, type Accounts } from '#accounts/accounts.ts'
import { createKey, findKey } from '#accounts/keys.ts'
import { createRandom } from '#sim/random.ts'
import { serveBotApi } from '#sim/telegram/bot_api.ts'
import type { Disturbance } from '#sim/telegram/faults.ts'
import { serveMail } from '#test/api/messaging/receivers/mail_server.ts'
import { serveReceivers } from '#test/api/messaging/receivers/receivers.ts'
import { loader } from '#test/run/loader.ts'
import { machineClock } from '#time.ts'

import { claim_ms, n_at_once, token } from './node.ts'

/** `n_chats` of each of five messengers get `n_alerts` each. `n_kills` times the sender is killed after a message. */
export type Five = { place: string; n_chats: number; n_alerts: number; n_kills: number; seed: number }

/**
 * A call: its messenger, the alert of its message, and its outcome. `is_killed`: it had arrived, and the sender died
 * before its outcome was stored.
 */
export type Sent = { messenger: string; alert: string; outcome: string; is_killed: boolean }

/**
 * What happened: each call in order, the alert of each message that was stored, by its messenger, and the calls under
 * way at each death of a sender.
 */
export type Outcome = { sent: Sent[]; alerts: Map<string, string[]>; underWay: number[]; n_dead: number }

/** Every second call goes wrong. A call that a receiver does not answer at all ends with the sender's patience. */
const faults = ['limited', 'failed', 'failed', 'cut', 'lost'] as const

/** Sends all messages of a store, while every second call fails and senders are killed. */
export async function runFive(size: Five): Promise<Outcome> {
  const random = createRandom(size.seed)
  const disturb = () => (random.chance(0.5) ? random.pick(faults) : null)
  const receivers = await serveReceivers({ disturb, pause_s: 0.05 })
  const mailServer = await serveMail({ disturb })
  const botApi = await serveBotApi({
    token,
    username: 'a_bot',
    clock: machineClock,
    disturb: () => asTelegram(disturb()),
  })
  const accounts = await openAccounts(size.place)
  const sent: Sent[] = []
  const underWay: number[] = []
  const nodes = openNodes([size.place, receivers.url, mailServer.url, botApi.url], async () => {
    const left = await accounts.selectFrom('outbox').select('text').execute()
    const alertsLeft = new Set(left.map(({ text }) => text.split('\n')[1]))
    const cut = sent.filter(
      ({ alert, outcome, is_killed }) => !is_killed && outcome === 'delivered' && alertsLeft.has(alert),
    )
    for (const call of cut) call.is_killed = true
    underWay.push(cut.length)
  })
  const killAfter = killsOf(size)
  const add = (messenger: string, body: string, outcome: string): void => {
    const [alert = body] = /alert\d+x\d+x/.exec(body) ?? []
    const hasArrived = outcome === 'delivered' || outcome === 'lost'
    const kills = hasArrived && sent.length >= (killAfter[0] ?? Number.POSITIVE_INFINITY)
    if (kills) killAfter.shift()
    if (kills) nodes.kill()
    sent.push({ messenger, alert, outcome, is_killed: false })
  }
  receivers.onCall(({ messenger, body, outcome }) => add(messenger, body, outcome))
  mailServer.onMail(({ body, outcome }) => add('email', body, outcome))
  botApi.onAttempt(({ text, outcome }) => add('telegram', text, outcome))
  try {
    const alerts = await settle(accounts, size, {
      url: receivers.url,
      open: (id) => botApi.say({ id, username: `p${id}` }, '/start'),
    })
    nodes.start()
    await drained(accounts)
    const { n } = await accounts
      .selectFrom('dead_letters')
      .select(({ fn }) => fn.countAll().as('n'))
      .executeTakeFirstOrThrow()
    return { sent, alerts, underWay, n_dead: Number(n) }
  } finally {
    await nodes.end()
    await Promise.all([receivers.close(), mailServer.close(), botApi.close()])
    await accounts.destroy()
  }
}

const asTelegram = (fault: (typeof faults)[number] | null): Disturbance | null =>
  fault === null
    ? null
    : fault === 'limited'
      ? { kind: 'rejected', fault: { status: 429, description: 'Too Many Requests', retry_after: 0.05 } }
      : fault === 'failed'
        ? { kind: 'rejected', fault: { status: 502, description: 'Bad Gateway' } }
        : { kind: fault }

/** The calls after which a sender is killed, spread over the messages. */
const killsOf = ({ n_chats, n_alerts, n_kills }: Five): number[] =>
  Array.from({ length: n_kills }, (_, i) => Math.floor((5 * n_chats * n_alerts * (i + 0.5)) / n_kills))

/** Stores the chats, and the messages of their alerts. */
async function settle(
  accounts: Accounts,
  { n_chats, n_alerts }: Five,
  { url, open }: { url: string; open: (id: number) => void },
): Promise<Outcome['alerts']> {
  const alerts: Outcome['alerts'] = new Map()
  const chatOf: Record<string, (n: number) => string> = {
    telegram: (n) => String(1_000 + n),
    discord: (n) => `${10_000 + n}/token`,
    slack: (n) => `T1/B${n}/token`,
    webhook: (n) => `whsec_c2VjcmV0 ${url}/hooks/${n}`,
    email: (n) => `person${n}@example.org`,
  }
  for (const [m, [messenger, chatIdOf]] of Object.entries(chatOf).entries())
    for (let chat = 0; chat < n_chats; chat++) {
      const caller = await findKey(accounts, await createKey(accounts, { tier: 'enterprise', now: 1 }))
      if (caller === null) throw new Error('the key is expected to be found')
      const { account_id } = caller
      if (messenger === 'telegram') open(1_000 + chat)
      await accounts
        .insertInto('messaging')
        .values({ account_id, messenger, handle: `p${chat}`, chat_id: chatIdOf(chat), linked_at: 1 })
        .execute()
      const texts = Array.from({ length: n_alerts }, (_, n) => `alert${m * n_chats + chat}x${n}x`)
      alerts.set(messenger, [...(alerts.get(messenger) ?? []), ...texts])
      const rows = texts.map((text, n) => ({ account_id, position: n + 1, text: `market: m\n${text}` }))
      await accounts
        .insertInto('outbox')
        .values(rows.map((row) => ({ ...row, n_tries: 0, next_at: 0 })))
        .execute()
      await accounts
        .insertInto('firings')
        .values(rows.map((row) => ({ ...row, alert_id: row.text, cause: 'publication', fired_at: 1 })))
        .execute()
    }
  return alerts
}

const script = join(import.meta.dirname, 'node.ts')

/**
 * One sender at a time. A killed one is replaced after `died`, at an instant when its leases and claims have ended.
 */
function openNodes(args: readonly string[], died: () => Promise<void>) {
  let [ahead, isEnding] = [0, false]
  let running: ChildProcess | undefined
  const start = (): void => {
    const child = fork(script, args, { execArgv: [...loader] })
    running = child
    child.send(ahead)
    child.once('exit', () => {
      if (isEnding) return
      ahead += 2 * claim_ms * 1_000
      void died().then(start)
    })
  }
  return {
    start,
    kill: () => void running?.kill('SIGKILL'),
    end: async () => {
      isEnding = true
      if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
      running.kill('SIGKILL')
      await once(running, 'exit')
    },
  }
}

const stalled_ms = 300_000

/** Waits until the outbox is empty. Throws if it does not change for minutes. */
async function drained(accounts: Accounts): Promise<void> {
  let [last, changed_ms] = [Number.NaN, performance.now()]
  for (;;) {
    const row = await accounts
      .selectFrom('outbox')
      .select(({ fn }) => fn.countAll().as('n'))
      .executeTakeFirstOrThrow()
    const n = Number(row.n)
    if (n === 0) return
    if (n !== last) [last, changed_ms] = [n, performance.now()]
    if (performance.now() - changed_ms > stalled_ms) throw new Error(`five: ${n} messages are left; expected progress`)
    await sleep(50)
  }
}

/** Five messengers send four messages at once each. */
const most = 5 * n_at_once

/** The faults of an outcome: each message arrived, and again only where its answer was lost. Empty without one. */
export function complaintsOfFive({ sent, alerts, underWay, n_dead }: Outcome): string[] {
  const complaints = n_dead === 0 ? [] : [`${n_dead} dead letters; expected none`]
  for (const n of underWay) if (n > most) complaints.push(`${n} calls under way at a kill; expected at most ${most}`)
  for (const [messenger, expected] of alerts) {
    const arrivals = new Map<string, Sent[]>(expected.map((alert) => [alert, []]))
    for (const call of sent.filter((one) => one.messenger === messenger && /^(delivered|lost)$/.test(one.outcome)))
      if (arrivals.get(call.alert)?.push(call) === undefined) complaints.push(`${messenger}: ${call.alert} is unknown`)
    for (const [alert, calls] of arrivals) {
      if (calls.length === 0) complaints.push(`${messenger}: ${alert} did not arrive`)
      if (calls.slice(0, -1).some(({ outcome, is_killed }) => outcome === 'delivered' && !is_killed))
        complaints.push(`${messenger}: ${alert} was repeated after its acknowledgement`)
    }
  }
  return complaints
}
