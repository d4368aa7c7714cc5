import { Parser } from 'htmlparser2'
import { z } from 'zod'

import { isoInstant } from '#ingest/parse/timestamps.ts'
import { telegram } from '#registry/platforms/telegram.ts'
import type { AuthorIds } from '#sources/social/author_ids.ts'
import { plainText } from '#sources/social/plain_text.ts'
import type { ReadPost } from '#sources/social/post_rows.ts'

export const PLATFORM = telegram.id

/**
 * A message of a page, as its elements say. One of Telegram itself says for example that a message was pinned, and may
 * repeat its text.
 */
type Shown = { post: string; datetime: string; html: string; is_forwarded: boolean; is_service: boolean }

/** Whether a page is that of a channel, also of one without messages. Another page, such as a notice, is not. */
export const isChannelPage = (page: string): boolean => /class=["'][^"']*\btgme_channel_history\b/.test(page)

/** The messages of the page of a channel, in the order of the page. Throws for a page that was cut off. */
export function messagesOf(page: string): Shown[] {
  const messages: Shown[] = []
  const path: string[][] = []
  let [textFrom, textDepth, isWhole] = [-1, -1, false]
  const isInside = (name: string): boolean => path.some((classes) => classes.includes(name))
  const parser = new Parser({
    onopentag: (name, { class: list = '', 'data-post': post, datetime }) => {
      const classes = list.split(/\s+/)
      if (post !== undefined && classes.includes('tgme_widget_message'))
        messages.push({
          post,
          datetime: '',
          html: '',
          is_forwarded: false,
          is_service: classes.includes('service_message'),
        })
      const message = messages.at(-1)
      // The answered message stands in the message with a text of its own.
      if (message !== undefined && !isInside('tgme_widget_message_reply')) {
        if (classes.includes('tgme_widget_message_forwarded_from_name')) message.is_forwarded = true
        if (name === 'time' && datetime !== undefined) message.datetime = datetime
        if (textDepth === -1 && classes.includes('tgme_widget_message_text'))
          [textFrom, textDepth] = [parser.endIndex + 1, path.length]
      }
      path.push(classes)
    },
    onclosetag: (name, isImplied) => {
      path.pop()
      if (textDepth === path.length) {
        const message = messages.at(-1)
        if (message !== undefined) message.html += page.slice(textFrom, parser.startIndex)
        textDepth = -1
      }
      if (name === 'html') isWhole = !isImplied
    },
  })
  parser.end(page)
  if (!isWhole) throw new Error('page of a channel: its end is missing; expected a whole HTML document')
  return messages
}

/** A message of a channel. `text` is empty for a picture alone. */
export const message = z
  .object({
    post: z.string().regex(/^\w+\/\d+$/, 'expected a channel and the number of a message'),
    datetime: isoInstant,
    html: z.string(),
    is_forwarded: z.boolean(),
  })
  .transform(({ post, datetime, html, is_forwarded }) => {
    const [channel = '', number] = post.split('/')
    return { channel: channel.toLowerCase(), number: Number(number), ts: datetime, text: plainText(html), is_forwarded }
  })
export type Message = z.output<typeof message>

/** The account in an id would give the author away, and the author of a channel is the channel. */
export const postIdOf = ({ channel, number }: Pick<Message, 'channel' | 'number'>, hash: AuthorIds): string =>
  `${hash(PLATFORM, channel)}/${number}`

/** A message as a post of its channel. A forwarded one repeats the post of another channel. */
export const postOf = (channelMessage: Message, hash: AuthorIds): ReadPost => ({
  platform: PLATFORM,
  post_id: postIdOf(channelMessage, hash),
  ts: channelMessage.ts,
  author: hash(PLATFORM, channelMessage.channel),
  kind: channelMessage.is_forwarded ? 'repost' : 'post',
  text: channelMessage.text,
})
