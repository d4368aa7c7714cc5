import { z } from 'zod'

import { isoInstant } from '#ingest/parse/timestamps.ts'
import { stocktwits } from '#registry/platforms/stocktwits.ts'
import type { AuthorIds } from '#sources/social/author_ids.ts'
import { plainText } from '#sources/social/plain_text.ts'
import type { ReadPost } from '#sources/social/post_rows.ts'
import { countsOf, type Shown } from '#sources/social/reading.ts'
import type { Micros } from '#time.ts'

export const PLATFORM = stocktwits.id

const count = z.number().int().nonnegative()
const symbol = z.object({
  symbol: z.string(),
  instrument_class: z.string().nullish(),
  external_id: z.string().nullish(),
})

/** A message as the streams of symbols show it. The label is the author's own. */
export const message = z.object({
  id: z.number().int().positive(),
  body: z.string(),
  created_at: isoInstant,
  user: z.object({
    id: z.number().int().positive(),
    followers: count,
    following: count,
    ideas: count,
    join_date: isoInstant.nullish().catch(null),
  }),
  symbols: z.array(symbol).default([]),
  entities: z.object({ sentiment: z.object({ basic: z.enum(['Bullish', 'Bearish']) }).nullish() }).nullish(),
  likes: z.object({ total: count }).nullish(),
  conversation: z.object({ in_reply_to_message_id: z.number().int().nullish(), replies: count }).nullish(),
})
export type Message = z.output<typeof message>

/** The ids of CoinGecko of the coins that a message names, which its platform gives. */
const coinsOf = ({ symbols }: Message): string[] => [
  ...new Set(
    symbols.flatMap(({ instrument_class, external_id }) =>
      instrument_class === 'CRYPTO' && external_id ? [external_id] : [],
    ),
  ),
]

/** The posts, counts and authors that a list of messages shows at an instant. */
export function shownIn(messages: readonly Message[], at: Micros, hash: AuthorIds): Shown {
  const authorOf = ({ user }: Message): string => hash(PLATFORM, String(user.id))
  const idOf = ({ id }: Message): Pick<ReadPost, 'platform' | 'post_id'> => ({
    platform: PLATFORM,
    post_id: String(id),
  })
  return {
    posts: messages.map((listedMessage) => {
      const parent = listedMessage.conversation?.in_reply_to_message_id ?? null
      return {
        ...idOf(listedMessage),
        ts: listedMessage.created_at,
        author: authorOf(listedMessage),
        kind: parent === null ? 'post' : 'reply',
        text: plainText(listedMessage.body.replaceAll('\n', '<br>')),
        parent_id: parent === null ? null : String(parent),
        native_label: listedMessage.entities?.sentiment?.basic.toLowerCase() ?? null,
        native_assets: coinsOf(listedMessage),
      }
    }),
    counts: messages.flatMap((listedMessage) =>
      countsOf(idOf(listedMessage), at, {
        like: listedMessage.likes?.total ?? 0,
        reply: listedMessage.conversation?.replies ?? 0,
      }),
    ),
    authors: messages.map((listedMessage) => ({
      platform: PLATFORM,
      author: authorOf(listedMessage),
      seen_at: at,
      n_followers: listedMessage.user.followers,
      n_following: listedMessage.user.following,
      n_posts: listedMessage.user.ideas,
      joined_at: listedMessage.user.join_date ?? null,
      score: null,
      is_outlet: false,
    })),
  }
}
