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

import { message, PLATFORM, shownIn, type Message } from './message.ts'

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
    '`/streams/symbol/<symbol>.json`, the newest first, back to a known message. `native_label` is the label that the ' +
    'author chose, `native_assets` the coins that the platform recognized. The platform often refuses clients of data ' +
    'centres: the unit is then missing, with the reason. More than four pages of new messages are *unverified*.',
  parts: [{ name: PLATFORM, upstreams: [stocktwitsHost] }],
  datasets: ['posts', 'post_text', 'mentions', 'engagement', 'authors'],
  unit: 'observation',
  precedence: 10,
  lag_s: 0,
  settle_s: 0,
  grid_s,
  follow: { group: 'messages' },
  typical: { requests: 10, rows: 100, bytes: 1_500_000 },
  settings,
  plan: async (context) => observationOf({ name, grid_s }, context, context.settings.symbols),
  pull,
})

const pageShape = z.object({
  messages: z.array(z.unknown()),
  cursor: z.object({ more: z.boolean(), max: z.number().nullish() }),
})

async function pull(unit: Unit, context: PullContext<typeof settings>): Promise<PullResult> {
  const rejected: RejectedRow[] = []
  const messages = new Map<string, Message>()
  const unseenOf = unseenIn(unit, context)
  const cut: string[] = []
  for (const symbol of unit.params) {
    const path = `/streams/symbol/${symbol}.json`
    const pageAt = async (max: string | undefined): Promise<Page<Message>> => {
      const query = { limit: PAGE, max }
      const answer: z.output<typeof pageShape> = await context.get(
        { host: stocktwitsHost.name, path, query },
        pageShape,
      )
      const rows = parseRows(answer.messages, message, { dataset: 'posts', path, rejected })
      return { rows, next: answer.cursor.more ? answer.cursor.max?.toString() : undefined }
    }
    const idOf = ({ id }: Message): string => String(id)
    const pages = {
      pageAt,
      idOf,
      found: messages,
      unseenOf,
      until: 'known',
      mostPages: MOST_PAGES,
      isCapped: false,
    } as const
    if ((await readBack(pages)) === 'cut') cut.push(symbol)
  }
  const hash = authorIds(context.settings.authorSecret)
  const rows = await rowsOfReading(unit, context, shownIn([...messages.values()], unit.from, hash), unseenOf)
  const proof = `${unit.params.length} symbols back to a known message, ${rows.posts.length} new messages`
  if (cut.length === 0) return { rows, rejected, state: 'complete', proof }
  return { rows, rejected, state: 'unverified', reason: `${cut.join(', ')}: more than ${MOST_PAGES} pages` }
}
