import { z } from 'zod'

import type { Host } from '#ingest/http/host.ts'
import { observedEvery } from '#ingest/observation.ts'
import { nameList, type Settings } from '#ingest/setting.ts'
import { defineSource, type ReadContext, type ReadResult } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { authorIds, authorSettings } from '#sources/social/author_ids.ts'
import { readingOf, readLists } from '#sources/social/read_lists.ts'
import { observationOf, rowsOfNew } from '#sources/social/reading.ts'

import { PLATFORM } from './cast.ts'
import { castMessage, postOfMessage } from './cast_message.ts'

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
    'The casts of channels of Farcaster from an own node, every five minutes, without a key: `/v1/castsByParent`, ' +
    'the newest first, page by page until a page has no new cast. Mentions stand in the text as the numbers of ' +
    'accounts. The node serves likes by the cast, which are not read. Casts have the ids that `farcaster_channels` ' +
    'gives them, which counts if both have a cast.',
  parts: [{ name: PLATFORM, upstreams: [snapchainHost] }],
  datasets: ['posts', 'post_text', 'mentions'],
  precedence: 8,
  ...observedEvery(grid_s),
  follow: { group: 'node' },
  typical: { requests: 5, rows: 30, bytes: 100_000 },
  settings,
  plan: async (context) => observationOf({ name, grid_s }, context, context.settings.parents),
  read,
})

const pageShape = z
  .object({ messages: z.array(z.unknown()), nextPageToken: z.string().nullish() })
  // The last page has an empty token.
  .transform(({ messages, nextPageToken }) => ({ rows: messages, next: nextPageToken || undefined }))

async function read(unit: Unit, context: ReadContext<typeof settings>): Promise<ReadResult> {
  const { listed, rejected, n_read, cut, unseenOf } = await readLists(unit, context, {
    names: unit.params,
    requestOf: (parent, pageToken) => ({
      host: snapchainHost.name,
      path: '/v1/castsByParent',
      query: { url: parent, pageSize: 100, reverse: true, pageToken },
    }),
    page: pageShape,
    row: castMessage,
    idOf: ({ hash }) => hash,
    until: 'all known',
    mostPages: MOST_PAGES,
  })
  const hash = authorIds(context.settings.authorSecret)
  const posts = listed.map((message) => postOfMessage(message, hash))
  const rows = await rowsOfNew(unit, context, posts, unseenOf)
  const proof = `${unit.params.length} channels back to known casts, ${rows.posts.length} new casts`
  const reason = cut.length === 0 ? undefined : `${cut.join(', ')}: more than ${MOST_PAGES} pages of new casts`
  return readingOf(rows, { rejected, n_read }, { proof, reason })
}
