import { z } from 'zod'

import type { Host } from '#ingest/http/host.ts'
import { unitPrice } from '#ingest/parse/decimals.ts'
import { epochSeconds } from '#ingest/parse/timestamps.ts'
import { wholeNumber, type Settings } from '#ingest/setting.ts'
import { defineSource, type PlanContext, type ReadContext, type ReadResult } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import type { Unit } from '#lake/units/unit.ts'

import { HOUR, hoursOf, quoteRow } from './planted_rows.ts'

/** A host of HTML pages, of which each lists the quotes of an hour. */
const host: Host = {
  name: 'planted_pages',
  doc: 'The URL of planted pages',
  url: 'https://pages.planted.invalid',
  requestsPer10s: 1e6,
  concurrency: 8,
}

const name = z.string().regex(/^\S+$/, 'expected names, separated by commas')
const listOfNames = z.string().transform((text) => text.split(','))

/** A list and a number. */
const settings = {
  names: {
    name: 'TAPELINE_PLANTED_NAMES',
    shape: listOfNames.pipe(z.array(name)).default([]),
    doc: 'The names whose quotes are stored, separated by commas; by default all',
  },
  everyHours: {
    name: 'TAPELINE_PLANTED_EVERY_HOURS',
    shape: wholeNumber(1, 24).default(1),
    doc: 'One hour of so many is read',
  },
} satisfies Settings

const row = /<tr><td>([^<]*)<\/td><td>([^<]*)<\/td><td>([^<]*)<\/td><\/tr>/g
const page = z.string().regex(/<\/table>/, 'expected the end of a table')
const quote = z.object({ name: z.string(), ts: epochSeconds, bid: unitPrice })

/** A source of HTML, in one file: see CONTRIBUTING, Add a source. */
export const plantedPages = defineSource({
  name: 'planted_pages',
  doc: 'Quotes of an hour from a page of HTML, which ends with the end of its table.',
  parts: [{ name: 'planted', upstreams: [host] }],
  datasets: ['quotes'],
  unit: 'hour',
  precedence: 10,
  lag_s: 0,
  settle_s: 0,
  grid_s: 60,
  follow: { group: 'planted' },
  typical: { requests: 1, rows: 3, bytes: 500 },
  settings,
  plan,
  read,
})

const source = { name: 'planted_pages', unit: 'hour', part: 'planted' } as const

async function plan(context: PlanContext<typeof settings>): Promise<Unit[]> {
  const step = context.settings.everyHours * HOUR
  return hoursOf(context).flatMap((span) => (span.from % step === 0 ? [unitOf(source, span)] : []))
}

async function read(
  unit: Unit,
  { get, until, settings: { names } }: ReadContext<typeof settings>,
): Promise<ReadResult> {
  const path = '/quotes'
  const html = await get({ host: host.name, path, query: { from: unit.from / 1_000_000 }, as: 'text' }, page)
  const pulled: ReadResult = { rows: { quotes: [] }, rejected: [], state: 'complete', proof: 'the table has its end' }
  const isStored = (of: string): boolean => names.length === 0 || names.includes(of)
  for (const [body, of = '', ts, bid] of html.matchAll(row)) {
    if (!isStored(of)) continue
    const parsed = quote.safeParse({ name: of, ts: Number(ts), bid })
    if (!parsed.success) pulled.rejected.push({ dataset: 'quotes', reason: parsed.error.message, path, body })
    else if (parsed.data.ts < until) pulled.rows.quotes?.push(quoteRow(parsed.data))
  }
  return pulled
}
