import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { pino } from 'pino'
import { onTestFinished } from 'vitest'

import { openLink } from '#accounts/messaging/messaging.ts'
import { messagingOf } from '#accounts/profile.ts'
import { startBot, type Bot, type BotPace } from '#api/messaging/bot.ts'
import { connectTelegram, telegram } from '#api/messaging/telegram.ts'
import { serveBotApi } from '#sim/telegram/bot_api.ts'
import type { Person } from '#sim/telegram/chats.ts'
import { newAccount } from '#test/accounts/stores.ts'
import { newStore } from '#test/api/store.ts'
import { eventually } from '#test/run/eventually.ts'
import { machineClock } from '#time.ts'

/** A canary: the tests search for it wherever the service writes. */
export const token = '4242424242:AACanary-token_of-the-bot-0123456789'

const brisk: BotPace = { poll_s: 1, term_s: 60, retry_ms: 20 }

/** A Bot API, a store, and the nodes that a test starts. Everything ends with the test. */
export async function botWorld() {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-'))
  const api = await serveBotApi({ token, username: 'tapeline_bot', clock: machineClock })
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const clock = { ahead: 0 }
  const now = () => machineClock() + clock.ahead
  const { accounts, close } = await newStore(home, now)
  const nodes: Bot[] = []

  const start = (of: { apiRoot?: string; pace?: BotPace; token?: string } = {}): Bot => {
    const bot = { token: of.token ?? token, apiRoot: of.apiRoot ?? api.url, linkRoot: 'https://t.me' }
    const configured = { messenger: telegram, connect: connectTelegram(bot) }
    const node = startBot(configured, { accounts, now, log }, of.pace ?? brisk)
    nodes.push(node)
    return node
  }
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await api.close()
    await close()
    await rm(home, { recursive: true })
  })

  const owner = await newAccount(accounts)
  const linkFor = async (handle: string, account_id = owner): Promise<string> =>
    (await openLink(accounts, { account_id, messenger: 'telegram', handle, now: now() })).token
  /** The texts that a person received. */
  const received = ({ id }: Person): string[] =>
    api
      .sent()
      .filter(({ chat_id }) => chat_id === id)
      .map(({ text }) => text)
  /** Sends a text to the bot, and returns its answer. */
  const ask = async (person: Person, text: string, group?: { id: number }): Promise<string> => {
    const at = group ?? person
    const n = received(at).length
    api.say(person, text, group)
    return eventually(() => {
      const answer = received(at)[n]
      if (answer === undefined) throw new Error('no answer yet')
      return answer
    })
  }
  const messaging = (account_id = owner) => messagingOf(accounts, account_id)
  return { accounts, api, lines, clock, home, start, owner, linkFor, received, ask, messaging }
}
