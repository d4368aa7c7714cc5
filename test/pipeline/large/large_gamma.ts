import { unitOf } from '#ingest/units.ts'
import type { Unit } from '#lake/units/unit.ts'
import { gammaMarketBody } from '#test/sources/markets/polymarket/wire.ts'

import { serveAnswers } from './serve_answers.ts'

/** An observation of all of Polymarket's markets, as the first one of a day. */
export const largeGamma = (at: number): Unit =>
  unitOf({ name: 'polymarket_markets', unit: 'observation', part: 'polymarket' }, { from: at, to: at, params: ['all'] })

/** Every tenth market is open. Every hundredth is also in the list of the closed ones, which is read later. */
const isOpen = (n: number): boolean => n % 10 === 0
const isMoving = (n: number): boolean => n % 100 === 0
const eventOf = (n: number): number => Math.floor(n / 5)

/** Gamma with so many markets, of five an event. Every `every`th has a changed question, once it is set. */
export async function serveGamma(
  n_markets: number,
): Promise<{ url: string; change: (every: number) => void; swap: (n: number) => void; close: () => Promise<void> }> {
  // A remainder by 0 is not 0.
  let [changed, swapped] = [0, -1]
  const server = await serveAnswers(({ pathname, searchParams: query }) => {
    const isClosed = query.get('closed') === 'true'
    const marketOf = (n: number) => bodyOf(n, { isClosed, isChanged: n % changed === 0, isSwapped: n === swapped })
    const page = { query, n_all: n_markets }
    const isListed = (n: number): boolean => (isClosed ? !isOpen(n) || isMoving(n) : isOpen(n))
    const answer =
      pathname === '/events/keyset'
        ? pageOf('events', { ...page, n_all: eventOf(n_markets) }, (n) => (n % 10 === 0) !== isClosed, eventBody)
        : pageOf('markets', page, isListed, marketOf)
    return JSON.stringify(answer)
  })
  return {
    ...server,
    change: (every) => {
      changed = every
    },
    swap: (n) => {
      swapped = n
    },
  }
}

/** The listed rows from the cursor on, as many as the request has room for. */
function pageOf(
  field: 'markets' | 'events',
  { query, n_all }: { query: URLSearchParams; n_all: number },
  isListed: (n: number) => boolean,
  of: (n: number) => Record<string, unknown>,
) {
  const rows: Record<string, unknown>[] = []
  let n = Number(query.get('after_cursor') ?? 0)
  for (; n < n_all && rows.length < Number(query.get('limit')); n += 1) if (isListed(n)) rows.push(of(n))
  return { [field]: rows, ...(n < n_all ? { next_cursor: String(n) } : {}) }
}

const eventBody = (n: number) => ({ id: `${n}`, tags: [{ label: 'Sports' }, { label: `Tag ${n % 10}` }] })

/** A market of about 900 bytes, in an order of its own. */
function bodyOf(
  n: number,
  { isClosed, isChanged, isSwapped }: { isClosed: boolean; isChanged: boolean; isSwapped: boolean },
) {
  const id = `0x${((n * 48_271) % 2_147_483_647).toString(16).padStart(64, 'c')}`
  return gammaMarketBody(n, {
    conditionId: id,
    question: `Will market ${n} be read whole${isChanged ? ', again' : ''}?`,
    clobTokenIds: JSON.stringify(
      [0, 1].map((outcome) => `${10n ** 76n + BigInt(4 * n + outcome + (isSwapped ? 2 : 0))}`),
    ),
    description: 'A text that no table holds. '.repeat(10),
    closed: isClosed,
    events: [{ id: `${eventOf(n)}`, slug: `event-${eventOf(n)}` }],
    ...(isClosed ? { closedTime: '2026-11-19 00:00:00+00', outcomePrices: '["1", "0"]' } : {}),
  })
}
