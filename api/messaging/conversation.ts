import { setTimeout as pause } from 'node:timers/promises'

import type { Logger } from 'pino'

import type { Accounts } from '#accounts/accounts.ts'
import { greetChat, redeemLink, unlinkChat, type Chat, type Redemption } from '#accounts/messaging/messaging.ts'
import { countByMinute } from '#api/http/authenticate.ts'
import type { Clock } from '#time.ts'

import { MessengerError, pauseAfter, type Connection, type Incoming, type Messenger } from './messenger.ts'

/** A bot in its messenger, and the store that it speaks for. */
export type Talk = {
  messenger: Messenger
  connection: Connection
  accounts: Accounts
  now: Clock
  log: Logger
  signal: AbortSignal
}

/** A chat gets at most this many answers a minute, so that a flood delays no other chat; further messages are ignored. */
const perMinute = 20
const maxTries = 3
/** Other chats wait for an answer that is tried again, so it is not tried after more than this. */
const longestWait_ms = 10_000

/** Answers incoming messages: links and unlinks private chats, and explains the bot. */
export function converse(talk: Talk): (incoming: Incoming) => Promise<void> {
  const { messenger, accounts, now } = talk
  const texts = textsFor(messenger.name)
  const count = countByMinute(now)
  return async (incoming) => {
    const { chat_id } = incoming
    if (incoming.kind === 'left') {
      await unlinkChat(accounts, { messenger: messenger.id, chat_id, now: now() })
      return
    }
    if (count(chat_id, perMinute).isOver) return
    const [, command, token = ''] = /^\/(start|stop)(?:\s+(.*))?$/s.exec(incoming.text) ?? []
    if (incoming.is_private) {
      const chat: Chat = { messenger: messenger.id, chat_id, username: incoming.username }
      await answer(chat_id, await reply(chat, command, token), talk)
    } else if (command === 'start') await answer(chat_id, texts.group, talk)
  }

  async function reply(chat: Chat, command: string | undefined, token: string): Promise<string> {
    if (command === 'stop')
      return (await unlinkChat(accounts, { ...chat, now: now() })) ? texts.unlinked : texts.isNotLinked
    if (command === undefined || token === '')
      return (await greetChat(accounts, chat)) ? texts.isLinked : texts.explanation
    const result = await redeemLink(accounts, { token, chat, now: now() })
    return afterLink(result, { texts, username: chat.username, isLinked: await greetChat(accounts, chat) })
  }
}

/** Sends an answer. An answer that the messenger refuses is dropped, since the person can ask again. */
async function answer(
  chat_id: string,
  text: string,
  { messenger, connection, accounts, now, log, signal }: Talk,
): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      return await connection.send(chat_id, text)
    } catch (error) {
      if (!(error instanceof MessengerError)) throw error
      if (error.kind === 'blocked')
        return void (await unlinkChat(accounts, { messenger: messenger.id, chat_id, now: now() }))
      const wait_ms = pauseAfter(error, 1_000 * n)
      if (error.kind === 'refused' || n === maxTries || wait_ms > longestWait_ms)
        return log.warn(`${error.message}; the answer is dropped`)
      await pause(wait_ms, undefined, { signal })
    }
  }
}

function afterLink(
  result: Redemption,
  { texts, username, isLinked }: { texts: Texts; username: string | null; isLinked: boolean },
): string {
  if (result === 'linked') return texts.linked
  if (result === 'taken') return texts.taken
  // A repeated message of the link that was just used.
  if (result === 'invalid') return isLinked ? `${texts.invalid} ${texts.isLinked}` : texts.invalid
  return username === null ? texts.nameless : texts.otherUser(username)
}

type Texts = ReturnType<typeof textsFor>

const again = 'Enter it in your account settings, and open the new link.'

/** The answers of the bot, each a single line. */
const textsFor = (messenger: string) => ({
  explanation:
    `Tapeline sends your alerts to this chat once it is linked. Enter your ${messenger} user name in your account ` +
    'settings, and open the link that they show.',
  linked:
    'This chat is now linked to your Tapeline account, and receives its alerts. ' +
    'If you did not open a link in Tapeline, send /stop.',
  isLinked: 'This chat is linked to a Tapeline account. /stop unlinks it.',
  isNotLinked: 'This chat is not linked to a Tapeline account.',
  unlinked: 'This chat is no longer linked, and receives no alerts. Your account settings show a new link.',
  invalid: 'This link was used, replaced, or is older than ten minutes. Your account settings show a new link.',
  taken: 'This chat is linked to another Tapeline account. Send /stop, then open the link again.',
  otherUser: (username: string) => `This link is for another ${messenger} user name; yours is @${username}. ${again}`,
  nameless: `This link is for a ${messenger} user name, and you have none. Choose one in ${messenger}. ${again}`,
  group: 'Tapeline links private chats only. Open the link in a private chat with this bot.',
})
