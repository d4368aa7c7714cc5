import { z } from 'zod'

import { unless404, HttpError } from '#activities/http/http.ts'
import { settling } from '#activities/http/replay.ts'
import type { Get } from '#activities/http/request.ts'
import { noMarket } from '#activities/markets/known_markets.ts'
import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Micros } from '#time.ts'

import { isOpen, parseListed } from './wire/market_rows.ts'
import { marketBody } from './wire/pages.ts'
import { nativeId } from './wire/types.ts'

/** The missing markets that are asked for by name. Most are resolved before their end. */
const mostAsked = 5

type Listing = { get: Get; lake: LakeReader; at: Micros; listed: ReadonlySet<string> }

/**
 * The reason why the list of active markets is cut short: markets of the lake that have not ended are missing from it, and
 * one of them is open by its own route. A first list without markets has nothing to be compared with. Null if it is whole.
 */
export async function cutReason({ get, lake, at, listed }: Listing): Promise<string | null> {
  const known = await lake.query(
    `select market_id,
       arg_max(status, seen_at) in ('open', 'paused') and coalesce(arg_max(ends_at, seen_at) > $at, false) as is_running
     from lake.markets where source = 'limitless_markets' and seen_at < $at group by market_id order by market_id`,
    z.object({ market_id: z.string(), is_running: z.boolean() }),
    { at: time.encode(at) },
    { markets: ['limitless_markets/'] },
  )
  if (known.length === 0 && listed.size === 0) return noMarket
  const running = known.filter(({ is_running }) => is_running)
  const lost = running.map(({ market_id }) => market_id).filter((id) => !listed.has(id))
  const step = Math.ceil(lost.length / mostAsked)
  for (const id of lost.filter((_, n) => n % step === 0)) {
    const body = await settling(() => unless404(marketBody(get, nativeId(id))))()
    if (body === undefined || body instanceof HttpError) continue
    const own = parseListed([body], { dataset: 'markets', path: '/markets', rejected: [] })
    if (own.some(({ market }) => market.slug === nativeId(id) && isOpen(market)))
      return `${lost.length} of ${running.length} markets that had not ended are not listed, and ${id} is open`
  }
  return null
}
