import { z } from 'zod'

import { unless404, HttpError } from '#ingest/http/http.ts'
import { settling } from '#ingest/http/replay.ts'
import type { Get } from '#ingest/http/request.ts'
import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import { noMarket } from '#sources/markets/known_markets.ts'
import type { Micros } from '#time.ts'

import { limitlessHost } from './hosts.ts'
import { isOpen, parseListed } from './wire/market_rows.ts'
import { marketBody } from './wire/pages.ts'
import { idOf, nativeId } from './wire/types.ts'

/** The missing markets that are asked for by name. Most are resolved before their end. */
const mostAsked = 5

type Listing = { get: Get; lake: LakeReader; at: Micros; listed: ReadonlySet<string> }

/**
 * The reason why the list of active markets is cut short: markets of the lake that have not ended are missing from it,
 * and one of them is open by its own route. A first list is compared with the list of slugs. Null if it is whole.
 */
export async function cutReason({ get, lake, at, listed }: Listing): Promise<string | null> {
  const storedMarkets = await lake.query(
    `select market_id,
       arg_max(status, seen_at) in ('open', 'paused') and coalesce(arg_max(ends_at, seen_at) > $at, false) as is_running
     from lake.markets where source = 'limitless_markets' and seen_at < $at group by market_id order by market_id`,
    z.object({ market_id: z.string(), is_running: z.boolean() }),
    { at: time.encode(at) },
    { markets: ['limitless_markets/'] },
  )
  if (storedMarkets.length === 0) return listed.size === 0 ? noMarket : firstReason(get, listed)
  const running = storedMarkets.filter(({ is_running }) => is_running)
  const lost = running.map(({ market_id }) => market_id).filter((id) => !listed.has(id))
  const open = await openOf(get, lost)
  return open === null
    ? null
    : `${lost.length} of ${running.length} markets that had not ended are not listed, and ${open} is open`
}

/** The slugs of the active markets by a route of their own, in one response. Its rows may have other fields. */
const activeSlugs = z.array(z.looseObject({ slug: z.string() }))

/**
 * The reason why a first list is cut short: nothing is known before it, so the list of the slugs of active markets is
 * asked. A market that only that list has counts if it is open by its own route.
 */
async function firstReason(get: Get, listed: ReadonlySet<string>): Promise<string | null> {
  const request = { host: limitlessHost.name, path: '/markets/active/slugs', query: {} }
  const answer = await settling(() => unlessRefused(get(request, z.unknown())))()
  const named = activeSlugs.safeParse(answer)
  // The list is believed where the venue refuses the route, or answers in another form.
  if (!named.success) return null
  const ids = [...new Set(named.data.map(({ slug }) => idOf(slug)))].toSorted()
  const lost = ids.filter((id) => !listed.has(id))
  const open = await openOf(get, lost)
  return open === null
    ? null
    : `${lost.length} of ${ids.length} markets of \`/markets/active/slugs\` are not listed, and ${open} is open`
}

const unlessRefused = (reading: Promise<unknown>): Promise<unknown> =>
  reading.catch((error: unknown) => {
    if (error instanceof HttpError && error.status >= 400 && error.status < 500) return undefined
    throw error
  })

/** One of some markets that is open by its own route; null if none of those that are asked for is. */
async function openOf(get: Get, ids: readonly string[]): Promise<string | null> {
  const step = Math.ceil(ids.length / mostAsked)
  for (const id of ids.filter((_, n) => n % step === 0)) {
    const body = await settling(() => unless404(marketBody(get, nativeId(id))))()
    if (body === undefined || body instanceof HttpError) continue
    const markets = parseListed([body], { dataset: 'markets', path: '/markets', rejected: [] })
    if (markets.some(({ market }) => market.slug === nativeId(id) && isOpen(market))) return id
  }
  return null
}
