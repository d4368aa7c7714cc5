import { z } from 'zod'

import type { Host } from '#ingest/http/host.ts'
import { HttpError, ShapeError } from '#ingest/http/http.ts'
import { observedEvery } from '#ingest/observation.ts'
import { nameList, type Settings } from '#ingest/setting.ts'
import { defineSource, type NewRow, type ReadContext, type ReadResult } from '#ingest/source.ts'
import type { Gap } from '#lake/reasons.ts'
import type { Unit } from '#lake/units/unit.ts'
import { authorIds, authorSettings, type AuthorIds } from '#sources/social/author_ids.ts'
import { lastReading } from '#sources/social/last_reading.ts'
import { livePosts } from '#sources/social/live_posts.ts'
import { readingOf, readLists, type ReadLists } from '#sources/social/read_lists.ts'
import { observationOf, rowsOfNew } from '#sources/social/reading.ts'
import type { Micros } from '#time.ts'

import { isChannelPage, message, messagesOf, PLATFORM, postIdOf, postOf, type Message } from './preview.ts'

const previewHost: Host = {
  name: 'telegram_preview',
  doc: 'The URL of the pages of Telegram’s channels',
  url: 'https://t.me',
  // No limit is published: one request a second.
  requestsPer10s: 9,
  concurrency: 1,
}

const settings = {
  ...authorSettings,
  channels: {
    name: 'TAPELINE_TELEGRAM_CHANNELS',
    shape: nameList(/^[A-Za-z]\w{3,31}$/, 'durov'),
    doc: 'The public channels of Telegram that are read, separated by commas; by default none',
  },
} satisfies Settings

const name = 'telegram_previews'
const grid_s = 600
const MOST_PAGES = 4

export const telegramPreviews = defineSource({
  name,
  doc:
    'The messages of the channels of `TAPELINE_TELEGRAM_CHANNELS`, every ten minutes, from the pages that Telegram ' +
    'shows without an account: `/s/<channel>`, 20 messages a page, back to a known message. The author is the ' +
    'channel, whose name stands in no row. A forwarded message is a repost. A message without text and one of Telegram ' +
    'itself are left out. A message without text from before the last reading ends a reading too. A stored message that ' +
    'its page no longer shows was deleted, and becomes a tombstone. Views are not read. More than four pages of new ' +
    'messages, and channels without such a page, make the reading *unverified*.',
  parts: [{ name: PLATFORM, upstreams: [previewHost] }],
  datasets: ['posts', 'post_text', 'mentions', 'tombstones'],
  precedence: 10,
  ...observedEvery(grid_s),
  follow: { group: 'previews' },
  typical: { requests: 5, rows: 20, bytes: 400_000 },
  settings,
  plan: async (context) => observationOf({ name, grid_s }, context, context.settings.channels),
  read,
})

/** The numbers of messages begin at 1, so there is no page before it. */
const pageShape = z
  .string()
  .refine(isChannelPage, 'expected the page of a channel')
  .transform((page) => {
    const rows = messagesOf(page)
    const first = Math.min(...rows.map(({ post }) => Number(post.split('/')[1])))
    return {
      rows: rows.filter(({ is_service }) => !is_service),
      next: Number.isFinite(first) && first > 1 ? String(first) : undefined,
    }
  })

/** The messages of a channel; null for a channel whose page leads elsewhere or is none of a channel. */
const readChannel = (
  unit: Unit,
  context: ReadContext<typeof settings>,
  { channel, hash, since }: { channel: string; hash: AuthorIds; since: Micros },
): Promise<ReadLists<Message> | null> =>
  readLists(unit, context, {
    names: [channel],
    requestOf: (channelName, before) => ({
      host: previewHost.name,
      path: `/s/${channelName}`,
      query: { before },
      as: 'text',
    }),
    page: pageShape,
    row: message,
    idOf: (channelMessage) => postIdOf(channelMessage, hash),
    // A message without text is not stored, so its instant shows whether an earlier reading had it.
    isOld: ({ text, ts }) => text === '' && ts < since,
    until: 'known',
    mostPages: MOST_PAGES,
  }).catch((error: unknown) => {
    if (error instanceof ShapeError) return null
    if (error instanceof HttpError && error.status >= 300 && error.status < 400) return null
    throw error
  })

const noPage = (channel: string): string => `${channel}: no page with messages`

async function read(unit: Unit, context: ReadContext<typeof settings>): Promise<ReadResult> {
  const hash = authorIds(context.settings.authorSecret)
  const [messages, tombstones]: [Message[], NewRow<'tombstones'>[]] = [[], []]
  const [rejected, reasons]: [ReadResult['rejected'], string[]] = [[], []]
  const gaps: Gap[] = []
  let n_posts = 0
  for (const channel of unit.params) {
    const since = await lastReading(context.lake, unit, channel)
    const pages = await readChannel(unit, context, { channel, hash, since })
    if (pages === null) {
      reasons.push(noPage(channel))
      gaps.push({ text: noPage(channel), subject: channel })
      continue
    }
    rejected.push(...pages.rejected)
    n_posts += pages.n_read.posts ?? 0
    if (pages.cut.length > 0) reasons.push(`${channel}: more than ${MOST_PAGES} pages`)
    messages.push(...pages.listed)
    // A message that does not parse is not gone.
    if (pages.rejected.length === 0) tombstones.push(...(await deletedIn(unit, context, { shown: pages.listed, hash })))
  }
  const posts = messages.filter(({ text }) => text !== '').map((channelMessage) => postOf(channelMessage, hash))
  const rows = await rowsOfNew(unit, context, posts)
  const proof = `${unit.params.length} channels back to a known message, ${rows.posts.length} new messages`
  const reason = reasons.length === 0 ? undefined : reasons.join(', ')
  return { ...readingOf({ ...rows, tombstones }, { rejected, n_read: { posts: n_posts } }, { proof, reason }), gaps }
}

/** Tombstones of stored messages of a channel that are missing between those that its pages show. */
async function deletedIn(
  unit: Unit,
  context: ReadContext<typeof settings>,
  { shown, hash }: { shown: readonly Message[]; hash: AuthorIds },
): Promise<NewRow<'tombstones'>[]> {
  const numbers = new Set(shown.map(({ number }) => number))
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)]
  const [channel] = shown
  if (channel === undefined) return []
  const between = Array.from({ length: last - first }, (_, n) => first + n).filter((number) => !numbers.has(number))
  const missing = between.map((number) => postIdOf({ ...channel, number }, hash))
  const deleted = await livePosts(unit, context, 'p.post_id in $list', missing)
  return deleted.map((target) => ({ platform: PLATFORM, kind: 'post', target, ts: unit.from }))
}
