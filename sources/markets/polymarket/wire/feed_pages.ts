import { z } from 'zod'

import { HttpError, unless404 } from '#ingest/http/http.ts'
import { NotStored } from '#ingest/http/replay.ts'
import type { Get } from '#ingest/http/request.ts'
import { zodReason } from '#ingest/http/response.ts'
import { reject } from '#ingest/parse/rows.ts'
import { epochSeconds } from '#ingest/parse/timestamps.ts'
import type { RejectedRow } from '#ingest/source.ts'
import { areAll } from '#sources/markets/follow_pages.ts'
import type { Micros } from '#time.ts'

import { openTakerMatcher, type MatchedFills } from './match_takers.ts'
import { MOST_ROUNDS, offsetPages, tradePages } from './paging.ts'
import { tradeRow, type Trade } from './trade_rows.ts'

/** The requested rows of the feed: from `goal` on, before `end`. */
export type Span = { goal: Micros; end: Micros }

/**
 * The feed over a span. `reached` is the start of the complete part. If the feed ends after the goal, it is later than
 * the goal, and `ending` gives the reason.
 */
export type FeedPages = MatchedFills & {
  reached: Micros
  ending: string
  areTakersKnown: boolean
  rejected: RejectedRow[]
  proof: string
  incompleteReason: string | null
}

/** Reads by v2, or by v1 if v2 is absent. Throws the last error if neither has a feed. */
export async function readFeed(get: Get, span: Span): Promise<FeedPages | HttpError> {
  const v2 = await unless404(readV2(get, span))
  return v2 instanceof HttpError ? unless404(readV1(get, span)) : v2
}

async function readV2(get: Get, span: Span): Promise<FeedPages> {
  const path = '/v2/trades'
  const list = (taker_only: boolean): AsyncIterable<unknown[]> => tradePages(get, { taker_only })
  const walked = await walkBoth({ path, all: list(false), takers: list(true) }, span)
  return { ...walked, proof: 'v2', ending: 'the feed shows the current and the previous month', incompleteReason: null }
}

/** One page of this size has all rows that v1 shows, so it is complete. Shorter pages may shift. */
async function readV1(get: Get, span: Span): Promise<FeedPages> {
  const path = '/trades'
  const source = { proof: 'v1', ending: 'v1 shows no more than its newest 10,000 rows' }
  for (let round = 1; ; round += 1) {
    const list = (takerOnly: boolean): Checked => checkedPages(get, path, { takerOnly, limit: 10_000 })
    const [all, takers] = [list(false), list(true)]
    const walked = await walkBoth({ path, all: all.pages(), takers: takers.pages() }, span)
    const isUnchanged = (await all.isUnchanged()) && (await takers.isUnchanged())
    if (isUnchanged) return { ...walked, ...source, incompleteReason: null }
    if (round === MOST_ROUNDS) {
      return { ...walked, ...source, incompleteReason: `rows were added while it was paged, ${MOST_ROUNDS} times` }
    }
  }
}

type Checked = { pages: () => AsyncGenerator<unknown[]>; isUnchanged: () => Promise<boolean> }

/** Reads pages, and checks after several pages whether the first page has changed. */
function checkedPages(get: Get, path: string, query: Parameters<typeof offsetPages>[2]): Checked {
  let first: unknown[] | undefined
  let n_pages = 0
  return {
    pages: async function* () {
      for await (const page of offsetPages(get, path, query)) {
        first ??= page
        n_pages += 1
        yield page
      }
    },
    isUnchanged: async () => {
      if (n_pages < 2) return true
      const again = await offsetPages(get, path, query).next()
      return JSON.stringify(again.value) === JSON.stringify(first)
    },
  }
}

type Listings = { path: string; all: AsyncIterable<unknown[]>; takers: AsyncIterable<unknown[]> }

async function walkBoth(
  { path, all, takers }: Listings,
  span: Span,
): Promise<Pick<FeedPages, 'fills' | 'n_takers' | 'n_unmatched_takers' | 'reached' | 'areTakersKnown' | 'rejected'>> {
  const rejected: RejectedRow[] = []
  const refuse = (body: unknown, reason: string): void => reject(rejected, { dataset: 'fills', path, reason, body })
  const tape = openTakerMatcher({ from: span.goal, until: span.end })
  const reached = await walkBack(all, span, { path, take: tape.add, refuse })
  // There are fewer takers, so their list may reach further back than the list of all.
  const mark = (trades: readonly Trade[]): void => tape.mark(trades.filter(({ timestamp }) => timestamp >= reached))
  const takerWalk = await unless404(
    walkBack(takers, { ...span, goal: reached }, { path, take: mark, refuse: () => undefined }),
  )
  const areTakersKnown = !(takerWalk instanceof HttpError)
  return {
    ...tape.end(areTakersKnown),
    reached: Math.max(reached, areTakersKnown ? takerWalk : reached),
    areTakersKnown,
    rejected,
  }
}

type Reader = { path: string; take: (trades: Trade[]) => void; refuse: (body: unknown, reason: string) => void }

/**
 * Reads a list, newest first, back beyond the goal. Returns the start of the complete part. A rejected row has no
 * reliable time: it belongs to the position of the row before it. Fewer than ten older rows at the end of a page may be
 * strays, so the next page must have no newer row.
 */
async function walkBack(
  pages: AsyncIterable<unknown[]>,
  { goal, end }: Span,
  { path, take, refuse }: Reader,
): Promise<Micros> {
  let oldest = Infinity
  let older: unknown[] = []
  const isOlder = (body: unknown): boolean => !isNewer(body, goal)
  // A reading that is parsed again may have been stored without that page.
  for await (const page of untilNotStored(pages, () => older.length > 0)) {
    if (older.length > 0 && page.every(isOlder)) return goal
    older = []
    const trades: Trade[] = []
    const reasons: string[] = []
    for (const [n, body] of page.entries()) {
      const { success, data, error } = tradeRow.safeParse(body)
      if (!success) {
        const reason = zodReason(error)
        reasons.push(reason)
        if (oldest >= goal && oldest < end) refuse(body, reason)
      } else if (data.timestamp >= goal) {
        oldest = Math.min(oldest, data.timestamp)
        trades.push(data)
        // A row of another hour between newer rows does not end this one.
      } else if (page.slice(n + 1).every(isOlder)) {
        // Older rows are stored already; in a quiet hour they are nearly all of a page.
        older = page.slice(n)
        break
      }
    }
    // A page of which no row parses has another format. The pages after it would have it too.
    if (areAll(page, (body) => !tradeRow.safeParse(body).success))
      throw new Error(`${path}: no row of a page parses: ${reasons[0]}; expected trades`)
    take(trades)
    if (areAll(older, isOlder)) return goal
  }
  // A part of the oldest visible second may be missing.
  return older.length > 0 ? goal : oldest + 1_000_000
}

/** The pages up to the first one that is not stored, where that may be missing. */
async function* untilNotStored<T>(pages: AsyncIterable<T>, mayMiss: () => boolean): AsyncGenerator<T> {
  try {
    yield* pages
  } catch (error) {
    if (!(error instanceof NotStored && mayMiss())) throw error
  }
}

/** Whether a row names an instant from the goal on. Of a page of older rows no other field is read. */
const isNewer = (body: unknown, goal: Micros): boolean => (timed.safeParse(body).data?.timestamp ?? 0) >= goal
const timed = z.object({ timestamp: epochSeconds })
