import { createHmac, randomBytes, randomUUID } from 'node:crypto'

import { z } from 'zod'

import { machineClock, SECOND, type Clock } from '#time.ts'

import type { Connect, Delivery, Messenger } from './messenger.ts'
import { assertTaken, openPost } from './post.ts'

const settings = z.object({
  WEBHOOK_PRIVATE: z
    .enum(['0', '1'], 'expected 0 or 1')
    .default('0')
    .describe('`1` lets webhooks of alerts reach private, link-local and loopback addresses, and use `http:`'),
})

/** Signed webhooks, for servers of people: HTTP requests as https://www.standardwebhooks.com describes them. */
export const webhook: Messenger = {
  id: 'webhook',
  name: 'Webhook',
  linking: 'address',
  addressForm: 'the URL of your server, such as https://example.org/alerts',
  parseAddress: (text) => {
    const url = URL.canParse(text) && text.length <= 1_000 ? new URL(text) : null
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
    url.hash = ''
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    return { chat_id: `${secret} ${url.href}`, handle: url.host, secret }
  },
  settings,
  configure: (env) => connectWebhook({ isPrivateAllowed: settings.parse(env).WEBHOOK_PRIVATE === '1' }),
  pace: { bot_ms: 0, chat_ms: 0, n_at_once: 50 },
}

/** The server of a person that answers so wants no further message. */
const gone = [410]

/** Connects to the servers of people. */
export const connectWebhook =
  (options: { isPrivateAllowed: boolean; limit_ms?: number; now?: Clock }): Connect =>
  (ending) => {
    const post = openPost('webhook', { ...options, ending })
    const { now = machineClock } = options
    return {
      send: async (chat_id, text, delivery) => {
        const [secret = '', url = ''] = chat_id.split(' ')
        const id = `msg_${delivery?.id ?? randomUUID().replaceAll('-', '')}`
        const timestamp = String(Math.floor(now() / SECOND))
        const body = bodyOf(text, delivery)
        const signature = `v1,${signatureOf(secret, `${id}.${timestamp}.${body}`)}`
        const headers = { 'Webhook-Id': id, 'Webhook-Timestamp': timestamp, 'Webhook-Signature': signature }
        const posted = await post(url, body, headers)
        // A server that is set up anew may answer 404 for a while.
        assertTaken('webhook', posted, { gone, isFinal: false })
      },
    }
  }

/** The body: its type, the instant and alert of the firing, and the text without its title. */
function bodyOf(text: string, delivery: Delivery | undefined): string {
  const [title = '', ...lines] = text.split('\n')
  const message = { title, text: lines.join('\n') }
  if (delivery === undefined) return JSON.stringify({ type: 'linked', ...message })
  const timestamp = delivery.at === null ? null : new Date(delivery.at / 1_000).toISOString()
  return JSON.stringify({ type: 'alert.fired', timestamp, alert: delivery.alert, ...message })
}

const signatureOf = (secret: string, content: string): string =>
  createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(content)
    .digest('base64')
