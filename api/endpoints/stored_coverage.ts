import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'

const units = (about: string) =>
  z
    .int()
    .min(0)
    .meta({ description: `Units ${about}` })
const moment = (about: string) => z.iso.datetime().nullable().meta({ description: about })

export const coverage = defineList({
  path: '/coverage',
  summary: 'What is stored, since when, and how completely',
  doc: `Returns the stored data of each venue, chain and social source, by \`kind\`, \`part\` and \`dataset\`. A unit is what
one read of a source covers, such as an account, an hour or a range of blocks. A unit is complete with a proof, such as
a cursor that was followed to its end. The newest unit of a source is \`head\`: rows may follow. All other units are
incomplete, for a reason that the catalog of the lake has.`,
  reads: ['scores'],
  query: {},
  item: z
    .strictObject({
      kind: z.enum(['chain', 'social', 'venue']).meta({ description: 'The kind of the part' }),
      part: z.string().meta({ description: 'The venue, the slug of the chain, or the social source' }),
      dataset: z.string().meta({ description: 'The kind of facts' }),
      n_rows: z.int().min(0).meta({ description: 'Stored rows' }),
      n_complete: units('that are complete'),
      n_head: units('that may still grow'),
      n_incomplete: units('that are missing, unavailable, rejected or without a proof'),
      from_at: moment('The instant of the first stored unit; null if it has none'),
      to_at: moment('The instant up to which was read; null if it has none'),
    })
    .meta({ id: 'Coverage' }),
  example: {
    kind: 'chain',
    part: 'base',
    dataset: 'swaps',
    n_rows: 48210,
    n_complete: 720,
    n_head: 1,
    n_incomplete: 0,
    from_at: '2026-02-01T00:00:11.000Z',
    to_at: '2026-03-01T12:00:00.000Z',
  },
  rows: () => ({
    sql: `select kind, part, dataset, n_rows::bigint as n_rows, n_done as n_complete, n_head,
      n_missing + n_unavailable + n_quarantined + n_unverified as n_incomplete, from_at, to_at from marts.coverage`,
    params: {},
    order: ['kind', 'part', 'dataset'].map((column) => ({ column, type: 'VARCHAR' })),
  }),
  present: ({ from_at, to_at, ...row }) => ({ ...row, from_at: instantOf(from_at), to_at: instantOf(to_at) }),
})

/** An instant of a mart, in microseconds, as it is served. */
const instantOf = (at: unknown): string | null => (at === null ? null : new Date(Number(at) / 1_000).toISOString())
