import { z } from 'zod'

import { MessengerError, type Incoming, type Messenger } from '#api/messaging/messenger.ts'

const settings = z.object({
  PAGER_URL: z
    .url({ protocol: /^http$/, error: 'expected an address such as http://localhost:1' })
    .optional()
    .describe('The address of a server of pagers; by default there is none'),
})

const page = z.object({ n: z.number(), pager: z.string(), from: z.string(), text: z.string() })

/** A messenger of the test: a server of pagers, whose texts have Markdown. Its ids of chats are no numbers. */
export const pager: Messenger = {
  id: 'pager',
  name: 'Pager',
  linking: 'bot',
  usernameForm: 'a Pager name: 3 letters or more',
  parseUsername: (text) => /^@?([a-z.]{3,})$/.exec(text)?.[1] ?? null,
  settings,
  configure: (env) => {
    const { PAGER_URL: url } = settings.parse(env)
    if (url === undefined) return undefined
    return (ending) => {
      const call = async (path: string, body?: object): Promise<unknown> => {
        const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
        const response = await fetch(new URL(path, url), { ...sent, signal: ending }).catch((error: unknown) => {
          throw new MessengerError(`pager: ${path}: ${String(error)}`, { kind: 'passing', pause_s: null })
        })
        if (!response.ok)
          throw new MessengerError(`pager: ${path}: ${response.status}`, { kind: 'refused', pause_s: null })
        return response.json()
      }
      return {
        identify: async () => z.string().parse(await call('/name')),
        linkFor: (username, token) => `${url}/${username}#${token}`,
        send: async (chat_id, text) => {
          const [title = '', ...lines] = text.split('\n')
          await call('/send', {
            pager: chat_id,
            text: lines.length === 0 ? title : [`**${title}**`, ...lines].join('\n'),
          })
        },
        listen: async function* ({ wait_s }) {
          for (let after = 0; ;) {
            const pages = z.array(page).parse(await call(`/pages?after=${after}&wait_s=${wait_s}`))
            if (pages.length === 0) yield null
            for (const { n, pager: chat_id, from, text } of pages) {
              yield { kind: 'message', chat_id, username: from, is_private: true, text } satisfies Incoming
              after = n
            }
          }
        },
      }
    }
  },
  pace: { bot_ms: 1, chat_ms: 1, n_at_once: 1 },
}
