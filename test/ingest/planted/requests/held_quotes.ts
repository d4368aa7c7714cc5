import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'

import { truthOf } from './planted_rows.ts'

const rowShape = z.object({ source: z.string(), market_id: z.string(), ts: z.number(), bid: z.number() })
type HeldQuote = z.infer<typeof rowShape>

/** The quotes of a source that a lake holds. */
export const heldQuotes = (lake: Lake, source: string): Promise<HeldQuote[]> =>
  lake.read(({ query }) =>
    query(
      `select source, market_id, epoch_us(ts)::double as ts, bid::double as bid from lake.quotes
       where source = $source order by ts, market_id`,
      rowShape,
      { source },
    ),
  )

/** The quotes of a source that the upstream has of some hours, each by its first second. */
export const quotesOf = (source: string, hours: readonly number[]): HeldQuote[] =>
  hours.flatMap(truthOf).map(({ name, ts, bid }) => ({
    source,
    market_id: `planted:${source === 'planted_calls' ? name.replace('é', 'e') : name}`,
    ts: ts * 1_000_000,
    bid: Number(bid),
  }))
