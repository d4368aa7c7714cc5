import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * A way in which a call goes wrong. `limited`: 429 with a pause; `failed`: 502; `cut`: the connection ends before the
 * effect; `lost`: it ends after the effect; `slow`: no answer comes.
 */
export type Fault = 'limited' | 'failed' | 'cut' | 'lost' | 'slow'

/** A call of a receiver: the messenger, its chat, the body, and the outcome: a fault or `delivered`. */
export type Call = {
  messenger: string
  chat: string
  body: string
  headers: IncomingMessage['headers']
  outcome: Fault | 'delivered' | 'gone' | 'invalid'
}

type Receiver = {
  messenger: string
  /** The chat of a path; undefined for the path of another receiver. */
  chatOf: (path: string) => string | undefined
  isValid: (body: Record<string, unknown>) => boolean
  taken: [status: number, body: string]
  invalid: [status: number, body: string]
  gone: [status: number, body: string]
  /** The headers and the body of a 429. */
  limited: (pause_s: number) => [Record<string, string>, string]
}

/** The webhooks of Discord and Slack, as their documentation describes them, and the servers of people. */
const receivers: readonly Receiver[] = [
  {
    messenger: 'discord',
    chatOf: (path) => /^\/api\/webhooks\/([^?]+)\?wait=true$/.exec(path)?.[1],
    isValid: ({ content }) => typeof content === 'string' && content !== '' && content.length <= 2_000,
    taken: [200, '{"id":"1","type":0}'],
    invalid: [400, '{"message":"Invalid Form Body","code":50035}'],
    gone: [404, '{"message":"Unknown Webhook","code":10015}'],
    limited: (retry_after) => [
      { 'retry-after': String(Math.ceil(retry_after)) },
      JSON.stringify({ message: 'You are being rate limited.', retry_after, global: false }),
    ],
  },
  {
    messenger: 'slack',
    chatOf: (path) => /^\/services\/(.+)$/.exec(path)?.[1],
    isValid: ({ blocks }) => Array.isArray(blocks) && blocks.length > 0,
    taken: [200, 'ok'],
    invalid: [400, 'invalid_payload'],
    gone: [404, 'no_service'],
    limited: (pause_s) => [{ 'retry-after': String(pause_s) }, 'rate_limited'],
  },
  {
    messenger: 'webhook',
    chatOf: (path) => /^\/hooks\/(.+)$/.exec(path)?.[1],
    isValid: ({ type }) => type === 'alert.fired' || type === 'linked',
    taken: [204, ''],
    invalid: [400, ''],
    gone: [410, ''],
    limited: (pause_s) => [{ 'retry-after': String(pause_s) }, ''],
  },
]

/** Serves all receivers on the loopback interface. `disturb` gives the fault of each call; null without one. */
export async function serveReceivers({
  disturb = () => null,
  pause_s = 1,
}: {
  disturb?: (messenger: string) => Fault | null
  pause_s?: number
} = {}) {
  const calls: Call[] = []
  const gone = new Set<string>()
  const listeners: ((call: Call) => void)[] = []
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const path = request.url ?? ''
    const receiver = receivers.find(({ chatOf }) => chatOf(path) !== undefined)
    if (receiver === undefined) return void response.writeHead(404).end()
    const { messenger } = receiver
    const chat = receiver.chatOf(path) ?? ''
    const outcome = gone.has(chat)
      ? 'gone'
      : receiver.isValid(JSON.parse(body) as Record<string, unknown>)
        ? (disturb(messenger) ?? 'delivered')
        : 'invalid'
    const call = { messenger, chat, body, headers: request.headers, outcome } as const
    calls.push(call)
    for (const listener of listeners) listener(call)
    if (outcome === 'cut' || outcome === 'lost') return void response.destroy()
    if (outcome === 'slow') return
    if (outcome === 'limited') {
      const [headers, words] = receiver.limited(pause_s)
      return void response.writeHead(429, headers).end(words)
    }
    const [status, words] =
      outcome === 'failed'
        ? ([502, 'Bad Gateway'] as const)
        : outcome === 'delivered'
          ? receiver.taken
          : receiver[outcome]
    response.writeHead(status).end(words)
  }
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    /** The bodies that a chat received. */
    received: (chat: string): string[] =>
      calls.filter((call) => call.chat === chat && /delivered|lost/.test(call.outcome)).map(({ body }) => body),
    /** Deletes a chat, whose calls are answered as its messenger does. */
    remove: (chat: string) => void gone.add(chat),
    onCall: (listener: (call: Call) => void) => void listeners.push(listener),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
