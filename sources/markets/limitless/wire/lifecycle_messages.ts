import { z } from 'zod'

import { socketIo, socketIoEvent } from '#ingest/http/socket_io.ts'
import { maybe, maybeText } from '#ingest/parse/rows.ts'
import { isoInstant } from '#ingest/parse/timestamps.ts'
import type { NewRow, Rows } from '#ingest/source.ts'
import { VENUE } from '#sources/markets/limitless/hosts.ts'
import type { Micros } from '#time.ts'

import { epochMillis, idOf, marketSlug, tokenOf } from './types.ts'

const NAMESPACE = '/markets'

/** The connection that subscribes to the channel. */
export const CHANNEL = socketIo(NAMESPACE, [{ name: 'subscribe_market_lifecycle', payload: {} }])

/** An instant of the channel: in the ISO form, or in milliseconds. */
const instant = z.union([isoInstant, epochMillis])

const created = z.object({
  slug: marketSlug,
  title: z.string(),
  type: maybeText,
  groupSlug: maybe(marketSlug),
  createdAt: instant,
})

const resolved = z
  .object({
    slug: marketSlug,
    type: maybeText,
    winningOutcome: maybeText,
    winningIndex: maybe(z.coerce.number().int()),
    resolutionDate: instant,
  })
  .refine(({ winningOutcome, winningIndex }) => contradicts(winningOutcome, winningIndex) === false, {
    path: ['winningOutcome'],
    message: 'contradicts winningIndex; expected YES for 0 and NO for 1',
  })

const contradicts = (outcome: string | null, index: number | null): boolean => {
  const named = ['YES', 'NO'].indexOf(outcome?.toUpperCase() ?? '')
  return named >= 0 && index !== null && named !== index
}

/** A creation or resolution with its instant. One without a row, such as that of a group, has the instant alone. */
export type Lifecycle = { at: Micros; rows: Rows }

/** The name of the event of a text; null for other texts. */
export function pushedName(text: string): string | null {
  try {
    return socketIoEvent(NAMESPACE, text)?.name ?? null
  } catch {
    return null
  }
}

/** The creation or resolution of a text; null for other texts. Throws if it does not parse. */
export function pushedLifecycle(text: string): Lifecycle | null {
  const event = socketIoEvent(NAMESPACE, text)
  if (event?.name === 'marketCreated') {
    const market = created.parse(event.payload)
    return { at: market.createdAt, rows: isGroup(market) ? {} : { markets: [marketOf(market)] } }
  }
  if (event?.name === 'marketResolved') {
    const market = resolved.parse(event.payload)
    const row = isGroup(market) ? null : resolutionOf(market)
    return { at: market.resolutionDate, rows: row === null ? {} : { resolutions: [row] } }
  }
  return null
}

/** A group has its markets nested, and is no market itself. */
const isGroup = ({ type }: { type: string | null }): boolean => type?.toLowerCase() === 'group'

/** A market with the properties of its creation. Its end, tags and collateral are unknown. */
const marketOf = ({ slug, title, groupSlug, createdAt }: z.output<typeof created>): NewRow<'markets'> => ({
  market_id: idOf(slug),
  seen_at: createdAt,
  venue: VENUE,
  event_id: idOf(groupSlug ?? slug),
  question: title,
  labels: ['Yes', 'No'],
  token_ids: [tokenOf(slug, 0), tokenOf(slug, 1)],
  category: null,
  tags: [],
  url: `https://limitless.exchange/markets/${groupSlug ?? slug}`,
  status: 'open',
  is_open: true,
  created_at: createdAt,
  starts_at: null,
  starts_by: null,
  ends_at: null,
  closed_at: null,
  collateral: '',
  taker_fee_rate: null,
  maker_fee_rate: null,
  fee_exponent: null,
  neg_risk_id: null,
  neg_risk_index: null,
  volume_usd: null,
})

/** The payout of a market with a winner; null for a void one. */
const resolutionOf = ({
  slug,
  winningIndex,
  resolutionDate,
}: z.output<typeof resolved>): NewRow<'resolutions'> | null =>
  winningIndex !== 0 && winningIndex !== 1
    ? null
    : {
        market_id: idOf(slug),
        ts: resolutionDate,
        venue: VENUE,
        payouts: winningIndex === 0 ? [1_000_000n, 0n] : [0n, 1_000_000n],
        status: 'resolved',
        tx: null,
      }
