import { z } from 'zod'

import type { Host } from '#activities/http/host.ts'
import { parseRows } from '#activities/parse/rows.ts'
import { nameList, type Settings } from '#activities/setting.ts'
import { authorIds, authorSettings } from '#activities/social/author_ids.ts'
import { unseenIn } from '#activities/social/new_rows.ts'
import { readBack, type Page } from '#activities/social/read_back.ts'
import { observationOf, rowsOfReading } from '#activities/social/reading.ts'
import { defineSource, type PullContext, type PullResult, type RejectedRow } from '#activities/source.ts'
import type { Unit } from '#lake/units/unit.ts'

import { cast, PLATFORM, shownIn, type Cast } from './cast.ts'

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
    'The casts of channels of Farcaster, every five minutes, with a key of Neynar: `/v2/farcaster/feed/channels/`, the ' +
    'newest first, page by page until a page has no new cast. Likes, recasts and replies are counts as they were seen. ' +
    'The `score` of an author is Neynar’s. More than ten pages of new casts are *unverified*. Deleted casts are not ' +
    'shown, and are not read again.',
  parts: [{ name: PLATFORM, upstreams: [neynarHost] }],
  datasets: ['posts', 'post_text', 'mentions', 'engagement', 'authors'],
  unit: 'observation',
  precedence: 10,
  lag_s: 0,
  settle_s: 0,
  grid_s,
  follow: { group: 'casts' },
  typical: { requests: 2, rows: 50, bytes: 600_000 },
  settings,
  plan: async (context) => observationOf({ name, grid_s }, context, context.settings.channels),
  pull,
})

const pageShape = z.object({
  casts: z.array(z.unknown()),
  next: z.object({ cursor: z.string().nullish() }).nullish(),
})

async function pull(unit: Unit, context: PullContext<typeof settings>): Promise<PullResult> {
  const path = '/v2/farcaster/feed/channels/'
  const rejected: RejectedRow[] = []
  const casts = new Map<string, Cast>()
  const unseenOf = unseenIn(unit, context)
  const pageAt = async (cursor: string | undefined): Promise<Page<Cast>> => {
    const query = { channel_ids: unit.params.join(), limit: PAGE, cursor }
    const page: z.output<typeof pageShape> = await context.get({ host: neynarHost.name, path, query }, pageShape)
    const rows = parseRows(page.casts, cast, { dataset: 'posts', path, rejected })
    return { rows, next: page.next?.cursor ?? undefined }
  }
  const idOf = (one: Cast): string => one.hash
  const pages = {
    pageAt,
    idOf,
    found: casts,
    unseenOf,
    until: 'all known',
    mostPages: MOST_PAGES,
    isCapped: false,
  } as const
  const isWhole = (await readBack(pages)) !== 'cut'
  const hash = authorIds(context.settings.authorSecret)
  const rows = await rowsOfReading(unit, context, shownIn([...casts.values()], unit.from, hash), unseenOf)
  const proof = `${casts.size} casts, ${rows.posts.length} of them new`
  if (isWhole) return { rows, rejected, state: 'complete', proof }
  return { rows, rejected, state: 'unverified', reason: `${proof}; older new casts may be missing` }
}
