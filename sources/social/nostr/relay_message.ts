import { createHash } from 'node:crypto'

import { z } from 'zod'

const hex64 = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits')

/** An event of the network (NIP-01). `created_at` is in seconds, as its author claims. */
export const nostrEvent = z
  .object({
    id: hex64,
    pubkey: hex64,
    created_at: z.number().int().positive(),
    kind: z.number().int().nonnegative(),
    tags: z.array(z.array(z.string())),
    content: z.string(),
  })
  .refine(
    ({ id, pubkey, created_at, kind, tags, content }) =>
      id ===
      createHash('sha256')
        .update(JSON.stringify([0, pubkey, created_at, kind, tags, content]))
        .digest('hex'),
    { path: ['id'], error: 'not that of the event; expected the SHA-256 of its fields' },
  )
export type NostrEvent = z.output<typeof nostrEvent>

/** The kinds of events that are read: short texts, and requests to delete events (NIP-09). */
export const kinds = { text: 1, deletion: 5 } as const

/**
 * A message of a relay: an event of a subscription, or the end of its stored events, also by closing a subscription of
 * older ones.
 */
export type RelayMessage = { subscription: string; event: NostrEvent | null }

const message = z.union([
  z
    .tuple([z.literal('EVENT'), z.string(), nostrEvent])
    .transform(([, subscription, event]) => ({ subscription, event })),
  z
    .tuple([z.enum(['EOSE', 'CLOSED']), z.string()])
    .rest(z.unknown())
    .transform(([, subscription]) => ({ subscription, event: null })),
])

/** Reads a message of a relay. Throws if it is no event and no end. */
export const readMessage = (text: string): RelayMessage => {
  const body: unknown = JSON.parse(text)
  // The reason of a union would hide that of the event.
  if (Array.isArray(body) && body[0] === 'EVENT') nostrEvent.parse(body[2])
  return message.parse(body)
}

/** The protocol of a relay: a closed subscription ends the connection, and notices are no messages. */
export function answerOf(text: string): readonly string[] | 'end' | null {
  const [, kind] = /^\s*\[\s*"(CLOSED|NOTICE|OK|AUTH)"/.exec(text) ?? []
  if (kind === 'CLOSED') return 'end'
  return kind === undefined ? null : []
}

const valuesOf = ({ tags }: NostrEvent, name: string): string[] =>
  tags.flatMap(([tagName, value]) => (tagName === name && value !== undefined ? [value] : []))

/** The ids of the events that a deletion names. */
export const deletedBy = (event: NostrEvent): string[] => valuesOf(event, 'e')

/** The event that a text answers (NIP-10) or quotes (NIP-18); null without one. */
export function parentOf(event: NostrEvent): { kind: 'reply' | 'quote'; id: string } | null {
  const answered = event.tags.filter(([name, , , marker]) => name === 'e' && marker !== 'mention')
  const marked = answered.find(([, , , marker]) => marker === 'reply') ?? answered.at(-1)
  const [quoted] = valuesOf(event, 'q')
  const id = marked?.[1] ?? quoted
  return id === undefined ? null : { kind: marked === undefined ? 'quote' : 'reply', id }
}
