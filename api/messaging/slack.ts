import { z } from 'zod'

import type { Connect, Messenger } from './messenger.ts'
import { assertTaken, openPost } from './post.ts'

const root = 'https://hooks.slack.com'

/** The messenger Slack. A person makes an incoming webhook of a channel, and enters its URL. */
export const slack: Messenger = {
  id: 'slack',
  name: 'Slack',
  linking: 'address',
  addressForm: `the URL of a Slack incoming webhook, such as ${root}/services/T0/B0/abc`,
  parseAddress: (text) => {
    const [, path, id] = /^https:\/\/hooks\.slack\.com\/services\/(T\w{1,20}\/(B\w{1,20})\/\w{8,64})$/.exec(text) ?? []
    return path === undefined ? null : { chat_id: path, handle: `webhook ${id}` }
  },
  settings: z.object({}),
  configure: () => connectSlack({ root, isPrivateAllowed: false }),
  // Slack allows one message a second to a webhook.
  pace: { bot_ms: 25, chat_ms: 1_100, n_at_once: 20 },
}

/** The most characters of a title and of a section. */
const longest = { title: 150, section: 3_000 }
/** The webhook or its channel was removed or archived, or the workspace forbids it. */
const gone = [403, 404, 410]

/** Connects to the incoming webhooks of Slack at a root. */
export const connectSlack =
  (options: { root: string; isPrivateAllowed: boolean }): Connect =>
  (ending) => {
    const post = openPost('slack', { ...options, ending })
    return {
      send: async (chat_id, text) => {
        const posted = await post(`${options.root}/services/${chat_id}`, JSON.stringify(blocksOf(text)))
        assertTaken('slack', posted, { gone })
      },
    }
  }

/** A text as blocks of plain text, in which no mark has an effect. `text` is that of notifications. */
export function blocksOf(text: string) {
  const [title = '', ...lines] = text.split('\n')
  const plain = (part: string, most: number) => ({
    type: 'plain_text',
    text: [...part].slice(0, most).join(''),
    emoji: false,
  })
  const section = { type: 'section', text: plain(lines.length === 0 ? title : lines.join('\n'), longest.section) }
  const blocks = lines.length === 0 ? [section] : [{ type: 'header', text: plain(title, longest.title) }, section]
  return { text: escaped(title), blocks }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
