import { z } from 'zod'

import { defineList, definePrivate, defineRead, defineWrite } from '#api/contract/define.ts'
import type { Endpoint, PrivateContext } from '#api/contract/endpoint.ts'
import { ApiError } from '#api/contract/errors.ts'
import { choice } from '#api/contract/input.ts'

/**
 * The notes of an account, which private endpoints read and writes change. They lie in a table that every store has.
 */
const notesOf = async ({ accounts, caller }: PrivateContext) => {
  const prefix = `${caller.account_id}/`
  const rows = await accounts
    .selectFrom('secrets')
    .selectAll()
    .where('name', 'like', `${prefix}%`)
    .orderBy('name')
    .execute()
  return rows.map(({ name, value }) => ({ id: name.replace(prefix, ''), text: value }))
}

const note = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the note' }),
    text: z.string().meta({ description: 'The text of the note' }),
  })
  .meta({ id: 'Note' })

const newNote = z
  .strictObject({
    text: z.string().min(1).max(40).meta({ description: 'The text of the note' }),
    threshold: z
      .strictObject({ least: z.number().optional().meta({ description: 'A number' }) })
      .optional()
      .meta({ id: 'NoteThreshold' }),
  })
  .meta({ id: 'NewNote' })

const market = z.strictObject({ id: z.string().meta({ description: 'The id' }) }).meta({ id: 'PlantedMarket' })

/** Holds a request inside an endpoint while a test sends others. */
export type Gate = { wait: () => Promise<void> }

/** One endpoint of each kind, and two writes more, over paths that the product does not use yet. */
export const plantedEndpoints = (gate: Gate = { wait: async () => undefined }): readonly Endpoint[] => [
  defineList({
    path: '/signals',
    summary: 'A planted list',
    doc: 'Markets.',
    reads: ['pulse'],
    query: { range: choice(['7d', '30d'], '30d', 'The range') },
    item: market,
    example: { id: 'polymarket:1' },
    rows: () => ({ sql: 'from marts.pm_markets', params: {}, order: [{ column: 'id', type: 'VARCHAR' }] }),
  }),
  defineRead({
    path: '/feed',
    summary: 'A planted read',
    doc: 'The first market.',
    reads: ['pulse'],
    query: {},
    item: market,
    example: { id: 'polymarket:1' },
    headers: { 'X-Coverage': 'The coverage' },
    read: async (_query, { snapshot }) => {
      const [row] = await snapshot.query('select min(id) as id from marts.pm_markets')
      return { body: { id: String(row?.['id']) }, headers: [['X-Coverage', 'complete']] }
    },
  }),
  definePrivate({
    path: '/alerts',
    summary: 'A planted private list',
    doc: 'The notes of the account.',
    query: {},
    item: note,
    isArray: true,
    example: { id: '1', text: 'a' },
    read: async (_query, context) => {
      await gate.wait()
      return { body: await notesOf(context), headers: [] }
    },
  }),
  definePrivate({
    path: '/account',
    summary: 'A planted private read',
    doc: 'The number of notes of the account, and its id.',
    query: {},
    item: z
      .strictObject({ id: z.string().meta({ description: 'The account' }), n: z.int().meta({ description: 'Notes' }) })
      .meta({ id: 'PlantedAccount' }),
    isArray: false,
    example: { id: 'a', n: 0 },
    read: async (_query, context) => ({
      body: { id: context.caller.account_id, n: (await notesOf(context)).length },
      headers: [],
    }),
  }),
  defineWrite({
    method: 'POST',
    path: '/alerts',
    summary: 'A planted write',
    doc: 'Creates a note; `full` is refused.',
    query: {},
    body: newNote,
    bodyExample: { text: 'a' },
    item: note,
    example: { id: '1', text: 'a' },
    status: 201,
    headers: { Location: 'The URL that deletes the note' },
    write: async ({ body: { text } }, context) => {
      const id = String((await notesOf(context)).length + 1).padStart(4, '0')
      const name = `${context.caller.account_id}/${id}`
      await context.accounts.insertInto('secrets').values({ name, value: text }).execute()
      await gate.wait()
      if (text === 'full') throw new ApiError('limit_reached', 'notes: limit reached; expected fewer notes.')
      if (text === 'broken') throw new Error('the planted failure')
      return { body: { id, text }, headers: [['Location', `/v1/alerts?id=${id}`]] }
    },
  }),
  defineWrite({
    method: 'DELETE',
    path: '/alerts',
    summary: 'A planted write without a body',
    doc: 'Deletes a note.',
    query: {
      id: z
        .string({ error: 'the id of a note' })
        .min(1, 'the id of a note')
        .meta({ description: 'The id', example: 'unknown' }),
    },
    body: null,
    bodyExample: null,
    item: z.strictObject({ deleted: z.boolean().meta({ description: 'Deleted' }) }).meta({ id: 'DeletedNote' }),
    example: { deleted: true },
    status: 200,
    headers: {},
    write: async ({ query: { id } }, { accounts, caller }) => {
      const gone = await accounts.deleteFrom('secrets').where('name', '=', `${caller.account_id}/${id}`).execute()
      return { body: { deleted: gone.some(({ numDeletedRows }) => numDeletedRows > 0n) }, headers: [] }
    },
  }),
]
