import { z } from 'zod'

import { parseInstant } from '#ingest/parse/timestamps.ts'
import type { Micros } from '#time.ts'

const reference = z.object({ uri: z.string() })
const link = z.object({ uri: z.string(), title: z.string().default(''), description: z.string().default('') })
const embed = z.object({
  external: link.optional().catch(undefined),
  record: z
    .union([reference, z.object({ record: reference }).transform(({ record }) => record)])
    .optional()
    .catch(undefined),
  media: z.object({ external: link }).optional().catch(undefined),
})
const feature = z.object({ uri: z.string().optional(), tag: z.string().optional() })
const facet = z.object({ features: z.array(feature) })

/** The record of a post. Only its text is required: clients of the network write all other fields as they like. */
export const postRecord = z.object({
  text: z.string(),
  createdAt: z.string().optional().catch(undefined),
  langs: z.array(z.string()).optional().catch(undefined),
  reply: z.object({ parent: reference }).optional().catch(undefined),
  embed: embed.optional().catch(undefined),
  facets: z.array(facet).optional().catch(undefined),
  tags: z.array(z.string()).optional().catch(undefined),
})
export type PostRecord = z.output<typeof postRecord>

/** A record may have tens of thousands of tags, of which each is compared with all others. */
const MOST_FEATURES = 100

/**
 * The text of a post with the addresses and tags that it hides: a link in the text is cut off, and a link card or a tag
 * beside the text is no part of it.
 */
export function fullText({ text, embed: shown, facets = [], tags = [] }: PostRecord): string {
  const features = facets
    .slice(0, MOST_FEATURES)
    .flatMap((part) => part.features)
    .slice(0, MOST_FEATURES)
  const card = shown?.external ?? shown?.media?.external
  const more = [
    ...features.flatMap(({ uri }) => (uri === undefined ? [] : [uri])),
    ...[...features.flatMap(({ tag }) => (tag === undefined ? [] : [tag])), ...tags.slice(0, MOST_FEATURES)].map(
      (tag) => `#${tag}`,
    ),
    ...(card === undefined ? [] : [card.title, card.description, card.uri]),
  ]
  const lines = [text]
  for (const line of more) if (line !== '' && !lines.some((earlier) => earlier.includes(line))) lines.push(line)
  return lines.join('\n')
}

/** The address of the post that a post quotes; undefined if it quotes none. */
export const quotedUri = ({ embed: shown }: PostRecord): string | undefined => shown?.record?.uri

export const claimedAt = ({ createdAt }: PostRecord): Micros | null =>
  createdAt === undefined ? null : parseInstant(createdAt)
