import { z } from 'zod'

import type { AuthorIds } from '#sources/social/author_ids.ts'
import type { ReadPost } from '#sources/social/post_rows.ts'
import { SECOND } from '#time.ts'

import { PLATFORM } from './cast.ts'

/** Farcaster counts seconds from 2021. */
const EPOCH_S = 1_609_459_200

const castId = z.object({ fid: z.number().int(), hash: z.string() })

/** The body of a cast as a node of the network has it. Mentions are cut out of the text, at positions in bytes. */
export const castAddBody = z.object({
  text: z.string(),
  mentions: z.array(z.number().int()).default([]),
  mentionsPositions: z.array(z.number().int().nonnegative()).default([]),
  embeds: z.array(z.object({ url: z.string().optional(), castId: castId.optional() })).default([]),
  embedsDeprecated: z.array(z.string()).default([]),
  parentCastId: castId.nullish(),
  parentUrl: z.string().nullish(),
})
export type CastAddBody = z.output<typeof castAddBody>

/** A message of a node that adds a cast. */
export const castMessage = z.object({
  hash: z.string().regex(/^0x[0-9a-f]{40}$/, 'expected a hash of 20 bytes'),
  data: z.object({
    type: z.literal('MESSAGE_TYPE_CAST_ADD'),
    fid: z.number().int().positive(),
    timestamp: z.number().int().positive(),
    castAddBody,
  }),
})
export type CastMessage = z.output<typeof castMessage>

/** The text of a cast with its mentions, as `@` and the number of the account, and with the addresses it links to. */
export function castText({ text, mentions, mentionsPositions, embeds, embedsDeprecated }: CastAddBody): string {
  const bytes = Buffer.from(text)
  let [whole, from] = ['', 0]
  for (const [n, position] of mentionsPositions.entries()) {
    const at = Math.min(Math.max(position, from), bytes.length)
    whole += `${bytes.subarray(from, at).toString()}@${mentions[n] ?? ''}`
    from = at
  }
  whole += bytes.subarray(from).toString()
  const links = [...embeds.flatMap(({ url }) => (url === undefined ? [] : [url])), ...embedsDeprecated]
  return [whole, ...links.filter((link) => !whole.includes(link))].join('\n')
}

/** A message as a post of a channel. */
export function postOfMessage({ hash: post_id, data }: CastMessage, hash: AuthorIds): ReadPost {
  const { castAddBody: body } = data
  const quoted = body.embeds.find(({ castId: quote }) => quote !== undefined)?.castId?.hash
  return {
    platform: PLATFORM,
    post_id,
    ts: (data.timestamp + EPOCH_S) * SECOND,
    author: hash(PLATFORM, String(data.fid)),
    kind: body.parentCastId ? 'reply' : quoted === undefined ? 'post' : 'quote',
    text: castText(body),
    channel: body.parentUrl ?? null,
    url: `https://farcaster.xyz/~/conversations/${post_id}`,
    parent_id: body.parentCastId?.hash ?? quoted ?? null,
  }
}
