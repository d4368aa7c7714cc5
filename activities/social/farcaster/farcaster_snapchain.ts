import { z } from 'zod'

import type { Host } from '#activities/http/host.ts'
import { parseRows } from '#activities/parse/rows.ts'
import { nameList, type Settings } from '#activities/setting.ts'
import { authorIds, authorSettings } from '#activities/social/author_ids.ts'
import { unseenIn } from '#activities/social/new_rows.ts'
import { readBack, type Page } from '#activities/social/read_back.ts'
import { observationOf, rowsOfNew } from '#activities/social/reading.ts'
import { defineSource, type PullContext, type PullResult, type RejectedRow } from '#activities/source.ts'
import type { Unit } from '#lake/units/unit.ts'

import { PLATFORM } from './cast.ts'
import { castMessage, postOfMessage, type CastMessage } from './cast_message.ts'

const snapchainHost: Host = {
  name: 'snapchain',
  doc: 'The URL of an own Snapchain node, for the casts of Farcaster',
  url: 'http://127.0.0.1:3381',
  requestsPer10s: 200,
  concurrency: 4,
}

const settings = {
  ...authorSettings,
  parents: {
    name: 'TAPELINE_SNAPCHAIN_PARENTS',
    shape: nameList(/^(https?|chain):\/\/\S+$/, 'https://farcaster.group/bitcoin'),
    doc: 'The addresses of the channels that are read from a Snapchain node, separated by commas; by default none',
  },
} satisfies Settings

const name = 'farcaster_snapchain'
const grid_s = 300
const MOST_PAGES = 10

export const farcasterSnapchain = defineSource({
  name,
  doc:
    'The casts of channels of Farcaster from an own node, every five minutes, without a key: `/v1/castsByParent`, the ' +
    'newest first, page by page until a page has no new cast. Mentions stand in the text as the numbers of accounts. ' +
    'The node serves likes by the cast, which are not read. Casts have the ids that `farcaster_channels` gives them, ' +
    'which counts if both have a cast.',
  parts: [{ name: PLATFORM, upstreams: [snapchainHost] }],
  datasets: ['posts', 'post_text', 'mentions'],
  unit: 'observation',
  precedence: 8,
  lag_s: 0,
  settle_s: 0,
  grid_s,
  follow: { group: 'node' },
  typical: { requests: 5, rows: 30, bytes: 100_000 },
  settings,
  plan: async (context) => observationOf({ name, grid_s }, context, context.settings.parents),
  pull,
})

const pageShape = z.object({ messages: z.array(z.unknown()), nextPageToken: z.string().nullish() })

async function pull(unit: Unit, context: PullContext<typeof settings>): Promise<PullResult> {
  const rejected: RejectedRow[] = []
  const messages = new Map<string, CastMessage>()
  const cut: string[] = []
  const unseenOf = unseenIn(unit, context)
  const path = '/v1/castsByParent'
  for (const parent of unit.params) {
    const pageAt = async (pageToken: string | undefined): Promise<Page<CastMessage>> => {
      const query = { url: parent, pageSize: 100, reverse: true, pageToken }
      const answer: z.output<typeof pageShape> = await context.get({ host: snapchainHost.name, path, query }, pageShape)
      const rows = parseRows(answer.messages, castMessage, { dataset: 'posts', path, rejected })
      return { rows, next: answer.nextPageToken === '' ? undefined : (answer.nextPageToken ?? undefined) }
    }
    const idOf = (one: CastMessage): string => one.hash
    const pages = {
      pageAt,
      idOf,
      found: messages,
      unseenOf,
      until: 'all known',
      mostPages: MOST_PAGES,
      isCapped: false,
    } as const
    if ((await readBack(pages)) === 'cut') cut.push(parent)
  }
  const hash = authorIds(context.settings.authorSecret)
  const posts = [...messages.values()].map((one) => postOfMessage(one, hash))
  const rows = await rowsOfNew(unit, context, posts, unseenOf)
  const result = { rows, rejected }
  const proof = `${unit.params.length} channels back to known casts, ${rows.posts.length} new casts`
  if (cut.length === 0) return { ...result, state: 'complete', proof }
  return { ...result, state: 'unverified', reason: `${cut.join(', ')}: more than ${MOST_PAGES} pages of new casts` }
}
