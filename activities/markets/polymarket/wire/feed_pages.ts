import { HttpError, unless404 } from '#activities/http/http.ts'
import type { Get } from '#activities/http/request.ts'
import { zodReason } from '#activities/http/response.ts'
import type { RejectedRow } from '#activities/source.ts'
import type { Micros } from '#time.ts'

import { openTakerMatcher, type MatchedFills } from './match_takers.ts'
import { dataPages, MOST_ROUNDS, offsetPages } from './paging.ts'
import { tradeRow, type Trade } from './trade_rows.ts'

/** From `goal` on, before `end`: the rows of the feed that are wanted. */
export type Span = { goal: Micros; end: Micros }

/**
 * What the feed shows of a span. `reached`: from where on it is whole, which is later than the goal where the feed ends
 * before it; then `ending` says how.
 */
export type FeedPages = MatchedFills & {
  reached: Micros
  ending: string
  areTakersKnown: boolean
  rejected: RejectedRow[]
  proof: string
  incompleteReason: string | null
}

/** By v2, or by v1 where v2 is absent; the last error where neither has a feed. */
export async function readFeed(get: Get, span: Span): Promise<FeedPages | HttpError> {
  const v2 = await unless404(readV2(get, span))
  return v2 instanceof HttpError ? unless404(readV1(get, span)) : v2
}

async function readV2(get: Get, span: Span): Promise<FeedPages> {
  const path = '/v2/trades'
  // Without a filter of ours the venue leaves out fills of less than 0.01.
  const query = { filter_type: 'TOKENS', filter_amount: 0, limit: 1000 }
  const list = (taker_only: boolean): AsyncIterable<unknown[]> => dataPages(get, path, { ...query, taker_only })
  const walked = await walkBoth({ path, all: list(false), takers: list(true) }, span)
  return { ...walked, proof: 'v2', ending: 'the feed shows the current and the previous month', incompleteReason: null }
}

/** One page holds as many rows as v1 shows, which makes it whole by itself. Where it comes shorter, rows may shift. */
async function readV1(get: Get, span: Span): Promise<FeedPages> {
  const path = '/trades'
  const v1 = { proof: 'v1', ending: 'v1 shows no more than its newest 10,000 rows' }
  for (let round = 1; ; round += 1) {
    const list = (takerOnly: boolean): Checked => checkedPages(get, path, { takerOnly, limit: 10_000 })
    const [all, takers] = [list(false), list(true)]
    const walked = await walkBoth({ path, all: all.pages(), takers: takers.pages() }, span)
    const isUnchanged = (await all.isUnchanged()) && (await takers.isUnchanged())
    if (isUnchanged) return { ...walked, ...v1, incompleteReason: null }
    if (round === MOST_ROUNDS) {
      return { ...walked, ...v1, incompleteReason: `rows were added while it was paged, ${MOST_ROUNDS} times` }
    }
  }
}

type Checked = { pages: () => AsyncGenerator<unknown[]>; isUnchanged: () => Promise<boolean> }

/** Pages, and afterwards whether the first one is still what it was, if there was more than one. */
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
  const refuse = (body: unknown, reason: string): void => void rejected.push({ dataset: 'fills', path, reason, body })
  const tape = openTakerMatcher({ from: span.goal, until: span.end })
  const reached = await walkBack(all, span, { take: tape.add, refuse })
  // Takers are fewer, so that their listing may reach further back: beyond what all shows they have no twins.
  const mark = (trades: readonly Trade[]): void => tape.mark(trades.filter(({ timestamp }) => timestamp >= reached))
  const known = await unless404(walkBack(takers, { ...span, goal: reached }, { take: mark, refuse: () => undefined }))
  const areTakersKnown = !(known instanceof HttpError)
  return {
    ...tape.end(areTakersKnown),
    reached: Math.max(reached, areTakersKnown ? known : reached),
    areTakersKnown,
    rejected,
  }
}

type Reader = { take: (trades: Trade[]) => void; refuse: (body: unknown, reason: string) => void }

/**
 * Reads a listing, newest first, back to beyond the goal; returns from where on it is whole. A row that does not parse
 * has no time that could be trusted: it belongs to where the row before it lies.
 */
async function walkBack(
  pages: AsyncIterable<unknown[]>,
  { goal, end }: Span,
  { take, refuse }: Reader,
): Promise<Micros> {
  let oldest = Infinity
  for await (const page of pages) {
    const trades: Trade[] = []
    for (const body of page) {
      const { success, data, error } = tradeRow.safeParse(body)
      if (!success) {
        if (oldest >= goal && oldest < end) refuse(body, zodReason(error))
        continue
      }
      oldest = Math.min(oldest, data.timestamp)
      // What is older is stored; of a quiet hour that is nearly all of a page.
      if (oldest < goal) break
      trades.push(data)
    }
    take(trades)
    if (oldest < goal) return goal
  }
  // Of the oldest second that is shown a part may be gone.
  return oldest + 1_000_000
}
