import { z } from 'zod'

import type { Host } from '#ingest/http/host.ts'
import { observedEvery } from '#ingest/observation.ts'
import { nameList, type Settings } from '#ingest/setting.ts'
import { defineSource, type ReadContext, type ReadResult } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { authorIds, authorSettings } from '#sources/social/author_ids.ts'
import { readingOf, readLists } from '#sources/social/read_lists.ts'
import { observationOf, rowsOfReading } from '#sources/social/reading.ts'

import { cast, PLATFORM, shownIn } from './cast.ts'

const neynarHost: Host = {
  name: 'neynar',
  doc: 'The URL of the casts of Farcaster, as Neynar serves them',
  url: 'https://api.neynar.com',
  // Published for the free tier: 300 requests a minute and route.
  requestsPer10s: 40,
  concurrency: 2,
  secret: {
    setting: 'NEYNAR_API_KEY',
    doc: 'A key of https://neynar.com, for the casts of Farcaster',
    in: 'header',
    name: 'x-api-key',
    withoutKey: 'unfollowed',
  },
}

const settings = {
  ...authorSettings,
  channels: {
    name: 'TAPELINE_FARCASTER_CHANNELS',
    shape: nameList(/^[a-z0-9-]+$/, 'bitcoin', ['bitcoin', 'ethereum', 'base', 'solana', 'defi', 'memes', 'trading']),
    doc: 'The channels of Farcaster that are read, separated by commas',
  },
} satisfies Settings

const name = 'farcaster_channels'
const grid_s = 300
const PAGE = 100
const MOST_PAGES = 10

export const farcasterChannels = defineSource({
  name,
  doc:
    'The casts of channels of Farcaster, every five minutes, with a key of Neynar: `/v2/farcaster/feed/channels/`, ' +
    'the newest first, page by page until a page has no new cast. Likes, recasts and replies are counts as they were ' +
    'seen. The `score` of an author is Neynar’s. More than ten pages of new casts are *unverified*. Deleted casts ' +
    'are not shown, and are not read again.',
  parts: [{ name: PLATFORM, upstreams: [neynarHost] }],
  datasets: ['posts', 'post_text', 'mentions', 'engagement', 'authors'],
  precedence: 10,
  ...observedEvery(grid_s),
  follow: { group: 'casts' },
  typical: { requests: 2, rows: 50, bytes: 600_000 },
  settings,
  plan: async (context) => observationOf({ name, grid_s }, context, context.settings.channels),
  read,
})

const pageShape = z
  .object({ casts: z.array(z.unknown()), next: z.object({ cursor: z.string().nullish() }).nullish() })
  .transform(({ casts, next }) => ({ rows: casts, next: next?.cursor || undefined }))

async function read(unit: Unit, context: ReadContext<typeof settings>): Promise<ReadResult> {
  const channels = unit.params.join()
  const { listed, rejected, n_read, cut, unseenOf } = await readLists(unit, context, {
    names: [channels],
    requestOf: (_, cursor) => ({
      host: neynarHost.name,
      path: '/v2/farcaster/feed/channels/',
      query: { channel_ids: channels, limit: PAGE, cursor },
    }),
    page: pageShape,
    row: cast,
    idOf: ({ hash }) => hash,
    until: 'all known',
    mostPages: MOST_PAGES,
  })
  const shown = shownIn(listed, unit.from, authorIds(context.settings.authorSecret))
  const rows = await rowsOfReading(unit, context, shown, unseenOf)
  const proof = `${listed.length} casts, ${rows.posts.length} of them new`
  const reason = cut.length === 0 ? undefined : `${proof}; older new casts may be missing`
  return readingOf(rows, { rejected, n_read }, { proof, reason })
}
