import { z } from 'zod'

import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import { gapsIn, type Gap } from '#lake/reasons.ts'
import type { Micros } from '#time.ts'

/** The price of one read post, in thousandths of a US dollar. */
const PRICE_MILLS = 5
/** The least and the most posts of one request. */
export const perRequest = { least: 10, most: 100 }
/** The most posts of a reading, of ten requests. */
const MOST_POSTS = 1_000

/** The begin and the end of the UTC month of an instant. */
function monthOf(at: Micros): { from: Micros; to: Micros } {
  const date = new Date(at / 1000)
  const start = (month: number): Micros => Date.UTC(date.getUTCFullYear(), month) * 1000
  return { from: start(date.getUTCMonth()), to: start(date.getUTCMonth() + 1) }
}

/**
 * The number of posts that the next reading may ask for. The cap of the month is spent evenly, up to the end of the
 * reading's interval; posts that were read are subtracted. What was saved is spent over several readings: each has at
 * most twice its share of the month, or one request. 0 if the rest is less than the smallest request.
 */
export function affordable({
  cap_usd,
  spent,
  at,
  grid_s,
}: {
  cap_usd: number
  spent: number
  at: Micros
  grid_s: number
}): number {
  const { from, to } = monthOf(at)
  const interval = grid_s * 1_000_000
  const ofMonth = (cap_usd * 1_000) / PRICE_MILLS
  const allowed = Math.floor(ofMonth * Math.min(1, (at + interval - from) / (to - from)))
  const most = Math.min(MOST_POSTS, Math.max(perRequest.most, Math.ceil((2 * ofMonth * interval) / (to - from))))
  const left = Math.min(most, allowed - spent)
  return left < perRequest.least ? 0 : left
}

/**
 * The posts read in the UTC month of an instant: those that X showed, and those that a further page which failed may have
 * had. A reading of which this is unknown counts as all that a request may have.
 */
export async function spentIn(lake: LakeReader, source: string, at: Micros): Promise<number> {
  const { from, to } = monthOf(at)
  const units = await lake.query(
    `select coalesce(n_read, greatest(n_rows, ${perRequest.most}))::integer as n_read, gaps from lake.coverage
     where source = $source and dataset = 'posts' and from_at >= $from and from_at < $to`,
    z.object({ n_read: z.number(), gaps: z.string().nullable() }),
    { source, from: time.encode(from), to: time.encode(to) },
    { coverage: [`${source}/`] },
  )
  return units.reduce((sum, { n_read, gaps }) => sum + n_read + lostIn(gaps), 0)
}

/** The posts that failed pages may have had. */
const lostIn = (gaps: string | null): number =>
  gapsIn(gaps).reduce((sum, { subject }) => sum + Number(subject ?? perRequest.most), 0)

/** The gap of a page of at most `n_posts` posts that failed after other pages. They are charged. */
export const lostPage = (n_posts: number): Gap => ({ text: 'a further page failed', subject: String(n_posts) })
