import { z } from 'zod'

import { tiers } from '#accounts/tiers.ts'
import {
  createWatchlist,
  deleteWatchlist,
  listWatchlists,
  watchlistTypes,
  type Watchlist,
} from '#accounts/watchlists/watchlists.ts'
import { addressExample } from '#api/contract/address.ts'
import { definePrivate, defineWrite } from '#api/contract/define.ts'
import { ApiError } from '#api/contract/errors.ts'
import { displayName, itemForms, itemPatterns, parseItem, uniqueItems } from '#api/contract/watchlist_items.ts'

const maxItems = 500
const typeForm = `one of ${watchlistTypes.join(', ')}`
const itemsForm = `an array of 1 to ${maxItems} texts`

const watchlist = z
  .strictObject({
    id: z.string().meta({ description: 'The id, which `DELETE` takes' }),
    name: z.string().meta({ description: 'The display name' }),
    type: z.enum(watchlistTypes).meta({ description: 'The kind of items' }),
    items: z.array(z.string()).meta({ description: 'Addresses in EIP-55 or base58, symbols, or market ids' }),
    created_at: z.iso.datetime().meta({ description: 'The time of creation' }),
  })
  .meta({ id: 'Watchlist' })

const example: z.output<typeof watchlist> = {
  id: '0f5d1c52-6a43-4d0e-9a2c-7d3f0b1f6f4e',
  name: 'Sharp traders',
  type: 'wallets',
  items: [addressExample],
  created_at: '2026-03-01T12:00:00.000Z',
}

const newWatchlist = z
  .strictObject({
    name: displayName,
    type: z.enum(watchlistTypes, typeForm).meta({ description: `The kind of items: ${typeForm}` }),
    items: z
      .array(z.string('a text'), itemsForm)
      .min(1, itemsForm)
      .max(maxItems, itemsForm)
      .meta({ description: `1 to ${maxItems} items of the form of the type. Equal items count once` }),
  })
  .superRefine(({ type, items }, context) => {
    const n = items.findIndex((item) => parseItem(type, item) === null)
    if (n >= 0) context.addIssue({ code: 'custom', path: ['items', n], message: itemForms[type] })
  })
  .meta({
    id: 'NewWatchlist',
    anyOf: watchlistTypes.map((type) => ({
      properties: { type: { const: type }, items: { items: { type: 'string', pattern: `^${itemPatterns[type]}$` } } },
    })),
  })

const present = ({ created_at, ...rest }: Watchlist): z.output<typeof watchlist> => ({
  ...rest,
  created_at: new Date(created_at / 1_000).toISOString(),
})

export const readWatchlists = definePrivate({
  path: '/watchlists',
  summary: 'List watchlists',
  doc: 'Returns all watchlists of the account, the newest first; watchlists of one millisecond are ordered by `id`.',
  query: {},
  item: watchlist,
  isArray: true,
  example,
  read: async (_query, { accounts, caller }) => ({
    body: (await listWatchlists(accounts, caller.account_id)).map(present),
    headers: [],
  }),
})

export const postWatchlist = defineWrite({
  method: 'POST',
  path: '/watchlists',
  summary: 'Create a watchlist',
  doc: `Creates a watchlist. The forms of items are:

- \`wallets\`: ${itemForms.wallets};
- \`assets\`: ${itemForms.assets};
- \`markets\`: ${itemForms.markets}.

Items are served in one spelling: EVM addresses in EIP-55, symbols and tickers in upper case, condition ids and slugs in
lower case. Equal items count once. A wallet of a watchlist is followed: its account activity is read and kept current
on the venues that are read per account. It need not have traded.

The tier limits the number of watchlists: free ${tiers.free.watchlists}, pro ${tiers.pro.watchlists}, enterprise
${tiers.enterprise.watchlists.toLocaleString('en')}. At the limit the response is a 409 \`limit_reached\`.`,
  query: {},
  body: newWatchlist,
  bodyExample: { name: example.name, type: example.type, items: example.items },
  item: watchlist,
  example,
  status: 201,
  headers: { Location: 'The URL that deletes the watchlist' },
  write: async ({ body: { name, type, items } }, { accounts, caller, now }) => {
    const { account_id, tier } = caller
    const most = tiers[tier].watchlists
    const draft = { account_id, name, type, ...uniqueItems(type, items) }
    const created = await createWatchlist(accounts, { ...draft, most, now })
    if (!created) {
      throw new ApiError(
        'limit_reached',
        `watchlists: the ${most} of the tier "${tier}" are in use; expected fewer: delete a watchlist first.`,
      )
    }
    return { body: present(created), headers: [['Location', `/v1/watchlists?id=${created.id}`]] }
  },
})

const idForm = 'the id of a watchlist'

export const removeWatchlist = defineWrite({
  method: 'DELETE',
  path: '/watchlists',
  summary: 'Delete a watchlist',
  doc: `Deletes a watchlist of the account. An id that is unknown, deleted, or of another account is a 404: these are
the same response.`,
  query: {
    id: z
      .string(idForm)
      .regex(/^[!-~]{1,64}$/, idForm)
      .meta({ description: `The watchlist: ${idForm}`, example: example.id }),
  },
  body: null,
  bodyExample: null,
  item: z
    .strictObject({
      deleted: z.boolean().meta({ description: 'The watchlist was deleted' }),
      id: z.string().meta({ description: 'The id of the deleted watchlist' }),
    })
    .meta({ id: 'DeletedWatchlist' }),
  example: { deleted: true, id: example.id },
  status: 200,
  headers: {},
  write: async ({ query: { id } }, { accounts, caller }) => {
    const isDeleted = await deleteWatchlist(accounts, { account_id: caller.account_id, id })
    if (!isDeleted)
      throw new ApiError('not_found', 'id: no watchlist of this account; expected an id of GET /watchlists.')
    return { body: { deleted: true, id }, headers: [] }
  },
})
