import { z } from 'zod'

import type { Connect, Messenger } from './messenger.ts'
import { assertTaken, openPost } from './post.ts'

const root = 'https://discord.com'

/** The messenger Discord. A person makes a webhook of a channel, and enters its URL. */
export const discord: Messenger = {
  id: 'discord',
  name: 'Discord',
  linking: 'address',
  addressForm: `the URL of a Discord webhook, such as ${root}/api/webhooks/123/abc`,
  parseAddress: (text) => {
    const [, id, token] =
      /^https:\/\/(?:(?:ptb|canary)\.)?discord(?:app)?\.com\/api(?:\/v\d+)?\/webhooks\/(\d{5,25})\/([\w-]{20,120})\/?$/.exec(
        text,
      ) ?? []
    return id === undefined || token === undefined ? null : { chat_id: `${id}/${token}`, handle: `webhook ${id}` }
  },
  settings: z.object({}),
  configure: () => connectDiscord({ root, isPrivateAllowed: false }),
  // Discord allows five calls of a webhook in two seconds, and 30 messages of a channel in a minute.
  pace: { bot_ms: 25, chat_ms: 2_100, n_at_once: 20 },
}

/** The most characters of a message. */
const longest = 2_000
/** The webhook was deleted. */
const gone = [401, 404]
const limited = z.object({ retry_after: z.number() })

/** Connects to the webhooks of Discord at a root. */
export const connectDiscord =
  (options: { root: string; isPrivateAllowed: boolean }): Connect =>
  (ending) => {
    const post = openPost('discord', { ...options, ending })
    return {
      send: async (chat_id, text) => {
        const body = { content: markdownOf(text), allowed_mentions: { parse: [] } }
        const posted = await post(`${options.root}/api/webhooks/${chat_id}?wait=true`, JSON.stringify(body))
        // The body has fractions of a second.
        const pause_s = limited.safeParse(jsonOf(posted.text)).data?.retry_after ?? posted.pause_s
        assertTaken('discord', { ...posted, pause_s }, { gone })
      },
    }
  }

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A text in Discord's Markdown, with no mark but those of the title. */
export function markdownOf(text: string): string {
  const [title = '', ...lines] = text.replaceAll(/[\\*_~`|>#[\]()<@:-]/g, String.raw`\$&`).split('\n')
  const whole = lines.length === 0 ? title : [`**${title}**`, ...lines].join('\n')
  return [...whole].slice(0, longest).join('')
}
