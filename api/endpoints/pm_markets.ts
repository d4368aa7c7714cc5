import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import { choice } from '#api/contract/input.ts'
import { marketExample } from '#api/contract/watchlist_items.ts'
import { anonymousLabels, venueIds } from '#registry/venues/index.ts'
import type { Snapshot } from '#snapshots/marts.ts'

const columns = 'id, question, yes_price, no_price, volume_24h, platform'

/** The pulse decides the state of its markets. */
const fresh = `select ${columns} from marts.pm_markets`
const older = `select ${columns} from marts.pm_markets_closed c
  where not exists (from marts.pm_markets p where p.id = c.id)`

/**
 * A market of the scores that is missing from the pulse has closed since the scores were built. If the scores are
 * newer, an open market may be too new for the pulse.
 */
const settled = ({ instants: { pulse = 0, scores = 0 } }: Snapshot): string =>
  pulse >= scores ? older : `${older} and not is_open`

const tables = {
  open: () => `${fresh} where is_open`,
  closed: (snapshot: Snapshot) => `${fresh} where not is_open union all ${settled(snapshot)}`,
  all: (snapshot: Snapshot) => `${fresh} union all ${settled(snapshot)}`,
}

/** A select of all markets with their state, for reads besides the endpoint. */
export const allMarkets = (snapshot: Snapshot): string =>
  `select ${columns}, is_open from marts.pm_markets union all select *, false from (${settled(snapshot)})`

export const pmMarkets = defineList({
  path: '/pm-markets',
  summary: 'Prediction market odds and volume',
  doc: `Returns markets in descending order of \`volume_24h\`; ties are ordered by \`id\`.

An \`open\` market accepts orders now. Every other market is \`closed\`: paused, awaiting resolution or resolved.
\`yes_price\` is the midpoint of the best bid and ask of the first outcome, if they differ by at most 0.10. An
empty side of the book is 0 or 1.
Otherwise it is the last trade of the last 24 hours, otherwise the price that the venue shows. If such a price lies
outside the book, the best bid or ask counts in its place. After resolution it is the payout. A market without any price is left out.
If the outcomes are not Yes and No, the first outcome counts as YES and the question names it.

A venue may be anonymous (${anonymousLabels}): its markets have odds and volumes, and no traders. A block trade, which is
agreed off the book, counts in \`volume_24h\` and is not a price.

\`status=open\` reads \`pulse\`. \`closed\` and \`all\` also read \`scores\`, so \`X-Data-As-Of\` is the earlier of the two
times. A market that has just closed appears in \`closed\` at once.`,
  reads: ({ status }) => (status === 'open' ? ['pulse'] : ['pulse', 'scores']),
  query: {
    platform: choice(['all', ...venueIds], 'all', 'The venue. A venue without a source has no markets.'),
    status: choice(['open', 'closed', 'all'], 'open', 'Whether the market accepts orders now.'),
  },
  item: z
    .strictObject({
      id: z.string().meta({ description: '`<platform>:<native id>`' }),
      question: z.string().meta({ description: 'The question that the market resolves' }),
      yes_price: z.number().min(0).max(1).meta({ description: 'Implied probability of YES' }),
      no_price: z.number().min(0).max(1).meta({ description: '1 - `yes_price`' }),
      volume_24h: z.number().min(0).meta({ description: 'USD traded in the last 24 hours' }),
      platform: z.enum(venueIds).meta({ description: 'The venue where the market is listed' }),
    })
    .meta({ id: 'PredictionMarket' }),
  example: {
    id: marketExample,
    question: 'Will the launch happen before July?',
    yes_price: 0.635,
    no_price: 0.365,
    volume_24h: 48210.57,
    platform: venueIds[0],
  },
  rows: ({ platform, status }, snapshot) => ({
    sql: `from (${tables[status](snapshot)}) where $platform in ('all', platform)`,
    params: { platform },
    order: [
      { column: 'volume_24h', type: 'DECIMAL(38,2)', isDescending: true },
      { column: 'id', type: 'VARCHAR' },
    ],
  }),
})
