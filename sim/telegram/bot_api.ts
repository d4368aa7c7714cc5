import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

import type { Clock } from '#time.ts'

import { createChats, type Chats } from './chats.ts'
import { rejection, type Answer, type Fault } from './faults.ts'
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
  /** Sets a webhook: the bot gets no updates until it deletes the webhook. */
  setWebhook: () => void
  /** The number of calls of a method. */
  calls: (method: string) => number
  close: () => Promise<void>
}

/**
 * Serves a Bot API on the loopback interface: `getMe`, `getUpdates` with long polls, `sendMessage`, `deleteWebhook`. It
 * fails as Telegram's fails. `/<bot>?start=<token>` is the page behind a deep link; it posts to `/sim/telegram`, which
 * presses Start as the named person.
 */
export async function serveBotApi(of: {
  token: string
  username: string
  clock: Clock
  port?: number
}): Promise<BotApi> {
  const { token, username, clock, port = 0 } = of
  const updates = createUpdates()
  const { send, ...chats } = createChats({ clock, push: updates.push })
  const planned = new Map<string, (Fault | null)[]>()
  const counts = new Map<string, number>()
  const lost = new Map<string, number>()

  const methods: Record<string, (body: Record<string, unknown>, gone: AbortSignal) => Answer | Promise<Answer>> = {
    getMe: () => ({ ok: true, result: { id: 1, is_bot: true, first_name: 'Tapeline', username } }),
    deleteWebhook: () => updates.deleteWebhook(),
    getUpdates: (body, gone) => updates.read(body, gone),
    sendMessage: (body) => send(body),
  }

  const call = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const [, given = '', name = ''] = /^\/bot([^/]*)\/(\w*)$/.exec(path) ?? []
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const body = await text(request)
    counts.set(name, (counts.get(name) ?? 0) + 1)
    const fault = planned.get(name)?.shift() ?? undefined
    const answer =
      given !== token
        ? rejection(401, 'Unauthorized')
        : method === undefined
          ? rejection(404, 'Not Found')
          : fault === undefined
            ? await method(JSON.parse(body || '{}') as Record<string, unknown>, gone.signal)
            : rejection(fault.status, fault.description, fault.retry_after)
    const n_lost = lost.get(name) ?? 0
    if (answer.ok && n_lost > 0) {
      lost.set(name, n_lost - 1)
      response.destroy()
      return
    }
    response.writeHead(answer.ok ? 200 : answer.error_code, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const work = pathname.startsWith('/bot')
      ? call(request, response, pathname)
      : startPage({ request, response, pathname, searchParams, username, chats })
    work.catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    ...chats,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    username,
    fail: (method, ...faults) => void planned.set(method, [...(planned.get(method) ?? []), ...faults]),
    loseAnswers: (method, n) => void lost.set(method, n),
    setWebhook: updates.setWebhook,
    calls: (method) => counts.get(method) ?? 0,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      }),
  }
}
