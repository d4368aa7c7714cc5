import { setTimeout as pause } from 'node:timers/promises'

import type { Bot } from 'grammy'
import type { Logger } from 'pino'

import type { Accounts } from '#accounts/accounts.ts'
import {
  greetChat,
  parseHandle,
  redeemLink,
  unlinkChat,
  type Chat,
  type Redemption,
} from '#accounts/messaging/messaging.ts'
import { countByMinute } from '#api/http/authenticate.ts'
import type { Clock } from '#time.ts'

import { pauseAfter, sendMessage, TelegramError } from './telegram.ts'

export type Talk = { accounts: Accounts; now: Clock; log: Logger; signal: AbortSignal }

/** A chat gets at most this many answers a minute, fewer than Telegram allows; further messages are ignored. */
const perMinute = 20
const maxTries = 3
/** Other chats wait for an answer that is tried again, so it is not tried after more than this. */
const longestWait_ms = 10_000

/** Lets a bot answer: it links and unlinks private chats, and explains itself. */
export function converse(bot: Bot, talk: Talk): void {
  const { accounts, now } = talk
  const count = countByMinute(now)
  const say = (chat_id: number, text: string) => answer(bot, chat_id, text, talk)

  // The person has blocked the bot.
  bot.on('my_chat_member').filter(
    ({ chat, myChatMember }) => chat.type === 'private' && myChatMember.new_chat_member.status === 'kicked',
    async ({ chat }) => {
      await unlinkChat(accounts, { chat_id: chat.id, now: now() })
    },
  )
  const spoken = bot.on('message').filter(({ chat }) => !count(String(chat.id), perMinute).isOver)
  spoken.chatType(['group', 'supergroup']).command('start', ({ chat }) => say(chat.id, texts.group))

  const inPrivate = spoken.chatType('private')
  inPrivate.command('start', async ({ chat: { id }, from, match: token }) => {
    const chat: Chat = { chat_id: id, username: parseHandle(from.username ?? '') }
    if (token === '') return say(id, (await greetChat(accounts, chat)) ? texts.isLinked : texts.explanation)
    const result = await redeemLink(accounts, { token, chat, now: now() })
    return say(id, textOf(result, chat.username, await greetChat(accounts, chat)))
  })
  inPrivate.command('stop', async ({ chat: { id } }) =>
    say(id, (await unlinkChat(accounts, { chat_id: id, now: now() })) ? texts.unlinked : texts.isNotLinked),
  )
  inPrivate.use(async ({ chat: { id }, from }) => {
    const isLinked = await greetChat(accounts, { chat_id: id, username: parseHandle(from.username ?? '') })
    return say(id, isLinked ? texts.isLinked : texts.explanation)
  })
}

/** Sends an answer. An answer that Telegram rejects is dropped, since the person can ask again. */
async function answer(bot: Bot, chat_id: number, text: string, { accounts, now, log, signal }: Talk): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      return await sendMessage(bot, chat_id, text)
    } catch (error) {
      if (!(error instanceof TelegramError)) throw error
      if (error.status === 403) return void (await unlinkChat(accounts, { chat_id, now: now() }))
      const isPassing = error.status === null || error.status === 429 || error.status >= 500
      const wait_ms = pauseAfter(error, 1_000 * n)
      if (!isPassing || n === maxTries || wait_ms > longestWait_ms)
        return log.warn(`${error.message}; the answer is dropped`)
      await pause(wait_ms, undefined, { signal })
    }
  }
}

const textOf = (result: Redemption, username: string | null, isLinked: boolean): string => {
  if (result === 'linked') return texts.linked
  if (result === 'taken') return texts.taken
  // A repeated message of the link that was just used.
  if (result === 'invalid') return isLinked ? `${texts.invalid} ${texts.isLinked}` : texts.invalid
  return username === null ? texts.nameless : texts.otherUser(username)
}

const again = 'Enter it in your account settings, and open the new link.'

const texts = {
  explanation:
    'Tapeline sends your alerts to this chat once it is linked. Enter your Telegram user name in your account ' +
    'settings, and open the link that they show.',
  linked:
    'This chat is now linked to your Tapeline account, and receives its alerts. ' +
    'If you did not open a link in Tapeline, send /stop.',
  isLinked: 'This chat is linked to a Tapeline account. /stop unlinks it.',
  isNotLinked: 'This chat is not linked to a Tapeline account.',
  unlinked: 'This chat is no longer linked, and receives no alerts. Your account settings show a new link.',
  invalid: 'This link was used, replaced, or is older than ten minutes. Your account settings show a new link.',
  taken: 'This chat is linked to another Tapeline account. Send /stop, then open the link again.',
  otherUser: (username: string) => `This link is for another Telegram user name; yours is @${username}. ${again}`,
  nameless: `This link is for a Telegram user name, and you have none. Choose one in Telegram. ${again}`,
  group: 'Tapeline links private chats only. Open the link in a private chat with this bot.',
}
