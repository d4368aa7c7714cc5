import { z } from 'zod'

import type { Host } from '#ingest/http/host.ts'
import { observedEvery } from '#ingest/observation.ts'
import { nameList, type Settings } from '#ingest/setting.ts'
import { defineSource, type ReadContext, type ReadResult } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { authorIds, authorSettings } from '#sources/social/author_ids.ts'
import { readingOf, readLists } from '#sources/social/read_lists.ts'
import { observationOf, rowsOfReading } from '#sources/social/reading.ts'

import { message, PLATFORM, shownIn } from './message.ts'

const stocktwitsHost: Host = {
  name: 'stocktwits',
  doc: 'The URL of the messages of StockTwits',
  url: 'https://api.stocktwits.com/api/2',
  // Reported: 200 an hour for a client without an account.
  requestsPer10s: 0.5,
  concurrency: 1,
}

const settings = {
  ...authorSettings,
  symbols: {
    name: 'TAPELINE_STOCKTWITS_SYMBOLS',
    shape: nameList(/^[A-Z0-9]+\.X$/, 'BTC.X'),
    doc: 'The symbols of StockTwits that are read, separated by commas; by default none',
  },
} satisfies Settings

const name = 'stocktwits_symbols'
const grid_s = 900
const PAGE = 30
const MOST_PAGES = 4

export const stocktwitsSymbols = defineSource({
  name,
  doc:
    'The messages about the symbols of `TAPELINE_STOCKTWITS_SYMBOLS`, every 15 minutes: ' +
    '`/streams/symbol/<symbol>.json`, the newest first, back to a known message. `native_label` is the label that ' +
    'the author chose, `native_assets` the coins that the platform recognized. The platform often refuses clients of ' +
    'data centres: the unit is then missing, with the reason. More than four pages of new messages are *unverified*.',
  parts: [{ name: PLATFORM, upstreams: [stocktwitsHost] }],
  datasets: ['posts', 'post_text', 'mentions', 'engagement', 'authors'],
  precedence: 10,
  ...observedEvery(grid_s),
  follow: { group: 'messages' },
  typical: { requests: 10, rows: 100, bytes: 1_500_000 },
  settings,
  plan: async (context) => observationOf({ name, grid_s }, context, context.settings.symbols),
  read,
})

const pageShape = z
  .object({
    messages: z.array(z.unknown()),
    cursor: z
      .object({ more: z.boolean(), max: z.number().nullish() })
      .refine(({ more, max }) => !more || typeof max === 'number', 'expected a number of older messages'),
  })
  .transform(({ messages, cursor: { more, max } }) => ({ rows: messages, next: more ? max?.toString() : undefined }))

async function read(unit: Unit, context: ReadContext<typeof settings>): Promise<ReadResult> {
  const { listed, rejected, n_read, cut, unseenOf } = await readLists(unit, context, {
    names: unit.params,
    requestOf: (symbol, max) => ({
      host: stocktwitsHost.name,
      path: `/streams/symbol/${symbol}.json`,
      query: { limit: PAGE, max },
    }),
    page: pageShape,
    row: message,
    idOf: ({ id }) => String(id),
    until: 'known',
    mostPages: MOST_PAGES,
  })
  const shown = shownIn(listed, unit.from, authorIds(context.settings.authorSecret))
  const rows = await rowsOfReading(unit, context, shown, unseenOf)
  const proof = `${unit.params.length} symbols back to a known message, ${rows.posts.length} new messages`
  const reason = cut.length === 0 ? undefined : `${cut.join(', ')}: more than ${MOST_PAGES} pages`
  return readingOf(rows, { rejected, n_read }, { proof, reason })
}
