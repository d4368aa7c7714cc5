import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import { choice, market as marketId } from '#api/contract/input.ts'
import { lineOfText, marketExample, textOf } from '#api/contract/watchlist_items.ts'
import { venueIds } from '#registry/venues/index.ts'

import { allMarkets } from './pm_markets.ts'

const wordsForm = '1 to 100 characters of text, without control characters'

export const markets = defineList({
  path: '/markets',
  summary: 'Prediction markets by the words of their questions',
  doc: `Returns the markets whose \`question\` or \`id\` contains every word of \`words\`, in any case, in descending order of
\`volume_24h\`; ties are ordered by \`id\`. Without \`words\` all markets are listed. The prices and volumes are those of
\`/v1/pm-markets\`.`,
  reads: ['pulse', 'scores'],
  query: {
    words: textOf(100, wordsForm, lineOfText)
      .meta({ description: `Words of the question: ${wordsForm}. By default any.`, example: 'launch July' })
      .optional(),
    id: marketId('The market, alone').optional(),
    platform: choice(['all', ...venueIds], 'all', 'The venue.'),
    status: choice(['open', 'closed', 'all'], 'open', 'Whether the market accepts orders now.'),
  },
  item: z
    .strictObject({
      id: z.string().meta({ description: '`<platform>:<native id>`' }),
      question: z.string().meta({ description: 'The question that the market resolves' }),
      platform: z.enum(venueIds).meta({ description: 'The venue where the market is listed' }),
      status: z.enum(['open', 'closed']).meta({ description: 'Whether the market accepts orders now' }),
      yes_price: z.number().min(0).max(1).meta({ description: 'Implied probability of YES' }),
      volume_24h: z.number().min(0).meta({ description: 'USD traded in the last 24 hours' }),
    })
    .meta({ id: 'Market' }),
  example: {
    id: marketExample,
    question: 'Will the launch happen before July?',
    platform: venueIds[0],
    status: 'open',
    yes_price: 0.635,
    volume_24h: 48210.57,
  },
  rows: ({ words = '', id = '', platform, status }, snapshot) => ({
    sql: `select * from (
        select id, question, platform, if(is_open, 'open', 'closed') as status, yes_price, volume_24h
        from (${allMarkets(snapshot)})
      )
      where $id in ('', id) and $platform in ('all', platform) and $status in ('all', status)
        and list_bool_and([contains(lower(question || ' ' || id), w) for w in string_split($words, ' ')])`,
    params: { words: words.toLowerCase().trim().replaceAll(/\s+/g, ' '), id, platform, status },
    order: [
      { column: 'volume_24h', type: 'DECIMAL(38,2)', isDescending: true },
      { column: 'id', type: 'VARCHAR' },
    ],
  }),
})
