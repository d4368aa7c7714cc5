import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import { choice } from '#api/contract/parameters.ts'
import type { Snapshot } from '#marts/marts.ts'

const platforms = ['polymarket', 'kalshi', 'limitless'] as const

const columns = 'id, question, yes_price, no_price, volume_24h, platform'

/** What the pulse has counts as it has it, open or closed. */
const fresh = `select ${columns} from marts.pm_markets`
const older = `select ${columns} from marts.pm_markets_closed c
  where not exists (from marts.pm_markets p where p.id = c.id)`

/**
 * What the scores have beside the pulse is closed: a market that was open then has closed since and left the pulse.
 * Only where the scores are the newer of the two it may be one that the pulse does not know yet.
 */
const settled = ({ instants: { pulse = 0, scores = 0 } }: Snapshot): string =>
  pulse >= scores ? older : `${older} and not is_open`

const tables = {
  open: () => `${fresh} where is_open`,
  closed: (snapshot: Snapshot) => `${fresh} where not is_open union all ${settled(snapshot)}`,
  all: (snapshot: Snapshot) => `${fresh} union all ${settled(snapshot)}`,
}

export const pmMarkets = defineList({
  path: '/pm-markets',
  summary: 'Prediction market odds and volume',
  doc: `Markets by the dollars traded in the last 24 hours, the largest first; ties by \`id\`.

\`open\` means that orders are accepted now; \`closed\` is everything else: paused, awaiting resolution, resolved.
\`yes_price\` is the midpoint of the best bid and ask of the first outcome where both exist and lie at most 0.10 apart,
else its last trade of the last 24 hours, else the venue's own figure; after resolution the payout. Where outcomes are
not Yes and No, the first one counts as YES and the question says so.

Odds and volumes change by the second: \`open\` is as fresh as that. \`closed\` and \`all\` also read what is published
every few minutes, and \`X-Data-As-Of\` is then the older instant: a market that closed long before is in them for good,
one that closed just now at once.`,
  reads: ({ status }) => (status === 'open' ? ['pulse'] : ['pulse', 'scores']),
  query: {
    platform: choice(['all', ...platforms], 'all', 'The venue; a venue that is not read yet has no markets.'),
    status: choice(['open', 'closed', 'all'], 'open', 'Whether orders are accepted now.'),
  },
  item: z
    .strictObject({
      id: z.string().meta({ description: '`<platform>:<native id>`' }),
      question: z.string().meta({ description: 'What the market resolves' }),
      yes_price: z.number().min(0).max(1).meta({ description: 'Implied probability of YES' }),
      no_price: z.number().min(0).max(1).meta({ description: '1 - `yes_price`' }),
      volume_24h: z.number().min(0).meta({ description: 'USD traded in the last 24 hours' }),
      platform: z.enum(platforms).meta({ description: 'The venue where the market is listed' }),
    })
    .meta({ id: 'PredictionMarket' }),
  example: {
    id: 'polymarket:0x5f65177b394277fd294cd75650044e32ba009a95022d88a0c1d565897d72f8f1',
    question: 'Will the launch happen before July?',
    yes_price: 0.635,
    no_price: 0.365,
    volume_24h: 48210.57,
    platform: 'polymarket',
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
