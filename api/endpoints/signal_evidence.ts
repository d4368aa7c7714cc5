import { z } from 'zod'

import { tiersUpTo } from '#accounts/tiers.ts'
import { defineList } from '#api/contract/define.ts'
import { notReady } from '#api/contract/errors.ts'

import { noFeed } from './feed.ts'

const idForm = 'the id of a signal of /v1/feed'

export const signalEvidence = defineList({
  path: '/signal-evidence',
  summary: 'The facts behind a signal',
  doc: `Returns the facts on which a signal of \`/v1/feed\` rests, in the order of \`timestamp\`: trades, odds, posts or
figures. \`kind\` is what a fact is, \`ref\` is its id at its source, such as a transaction, and \`value\` is its
figure in the unit of its kind. The list is empty below the \`tier_required\` of the signal, and after its 30 days.`,
  reads: ['pulse'],
  isByTier: true,
  query: {
    id: z
      .string(idForm)
      .regex(/^[\w-]{1,80}$/, idForm)
      .meta({ description: `The signal: ${idForm}.`, example: 'sig_o5mXQeYH2lq6cN0hVt9b3w' }),
  },
  item: z
    .strictObject({
      n: z.int().min(1).meta({ description: 'The place of the fact, from 1' }),
      kind: z.string().meta({ description: 'What the fact is' }),
      ref: z.string().meta({ description: 'Its id at its source' }),
      timestamp: z.iso.datetime().meta({ description: 'The time of the fact' }),
      value: z.number().meta({ description: 'Its figure, in the unit of its kind' }),
    })
    .meta({ id: 'Evidence' }),
  example: {
    n: 1,
    kind: 'trade',
    ref: '0x8f1d4b7e2a90c3d65f1e0b4a7c92d8e36f5a1b0c4d7e8f902a3b4c5d6e7f8091',
    timestamp: '2026-03-01T11:58:12.000Z',
    value: 48210.57,
  },
  rows: ({ id }, { tables }, tier) => {
    if (!tables.has('feed')) throw notReady(noFeed)
    const seen = tiersUpTo(tier).map((name) => `'${name}'`)
    return {
      sql: `select (row_number() over (order by e.ts, e.kind, e.ref, e."value"))::integer as n, e.kind, e.ref,
          e.ts as timestamp, e."value" as "value"
        from (
          select unnest(evidence) as e from marts.feed where id = $id and tier_required in (${seen.join(', ')})
        )`,
      params: { id },
      order: [{ column: 'n', type: 'INTEGER', isRank: true }],
    }
  },
  present: ({ value, timestamp, ...row }) => ({
    ...row,
    timestamp: new Date(Number(timestamp) / 1_000).toISOString(),
    value,
  }),
})
