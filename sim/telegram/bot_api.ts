import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { Clock } from '#time.ts'

import { createCalls, type Disturb, type Methods } from './calls.ts'
import { createChats, type Attempt, type Chats } from './chats.ts'
import type { Fault } from './faults.ts'
import { messagesPage } from './messages_page.ts'
import { startPage } from './start_page.ts'
import { createUpdates } from './updates.ts'

/** A simulated Bot API for one bot, and the people who use it. */
export type BotApi = Omit<Chats, 'send'> & {
  url: string
  username: string
  /** Makes the next calls of a method fail, in turn; a call with null succeeds. */
  fail: (method: string, ...faults: (Fault | null)[]) => void
  /** Loses the answers to the next calls of a method, which take effect. */
  loseAnswers: (method: string, n: number) => void
  /** Adds a listener to the calls of `sendMessage`, before their answers. */
  onAttempt: (listener: (attempt: Attempt, caller: string) => void) => void
  /** Sets a webhook: the bot gets no updates until it deletes the webhook. */
  setWebhook: () => void
  /** The number of calls of a method. */
  calls: (method: string) => number
  close: () => Promise<void>
}

/**
 * Serves a Bot API on the loopback interface: `getMe`, `getUpdates` with long polls, `sendMessage`, `deleteWebhook`. It
 * fails as Telegram's fails, and as `disturb` says for each call. A caller may name itself by a first part of the path,
 * `/<caller>/bot<token>/<method>`. `/<bot>?start=<token>` is the page behind a deep link; it posts to `/sim/telegram`,
 * which presses Start as the named person. `/sim/telegram` shows the messages.
 */
export async function serveBotApi(options: {
  token: string
  username: string
  clock: Clock
  port?: number
  disturb?: Disturb
}): Promise<BotApi> {
  const { token, username, clock, port = 0, disturb = () => null } = options
  const updates = createUpdates()
  const { send, ...chats } = createChats({ clock, push: updates.push })
  const shown = messagesPage({ username, clock, chats })
  const listeners: ((attempt: Attempt, caller: string) => void)[] = [shown.add]
  const methods: Methods = {
    getMe: () => ({ ok: true, result: { id: 1, is_bot: true, first_name: 'Tapeline', username } }),
    deleteWebhook: () => updates.deleteWebhook(),
    getUpdates: (body, gone) => updates.read(body, gone),
    sendMessage: (body) => send(body),
  }
  const calls = createCalls({ token, methods, disturb, listeners })

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const named = /^(?:\/([\w-]+))?\/bot([^/]*)\/(\w*)$/.exec(pathname)
    const work = async (): Promise<void> => {
      if (named) return calls.respond(request, response, named)
      if (await shown.answer(request, response, pathname)) return
      await startPage({ request, response, pathname, searchParams, username, chats })
    }
    work().catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    ...chats,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    username,
    fail: calls.fail,
    loseAnswers: calls.loseAnswers,
    onAttempt: (listener) => void listeners.push(listener),
    setWebhook: updates.setWebhook,
    calls: calls.count,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      }),
  }
}
