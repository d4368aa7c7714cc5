import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'

import { assertMart, text, walletOfChain } from './detail_fields.ts'

export const walletTraits = defineList({
  path: '/wallet-traits',
  summary: 'The evidence of tags',
  doc: `Returns the figures that decide the archetype and the tags of a wallet on a chain, by name. The rules are those of
\`metrics.wallet_traits\`.`,
  reads: ['scores'],
  query: walletOfChain,
  item: z
    .strictObject({
      name: text('The name of the figure, as its definition has it'),
      value: z.number().meta({ description: 'Its value; names state the unit' }),
    })
    .meta({ id: 'WalletTrait' }),
  example: { name: 'n_trades', value: 412 },
  rows: ({ address: { key }, chain }, snapshot) => {
    assertMart(snapshot, 'wallet_days')
    return {
      sql: `select unnest(traits).key as name, unnest(traits).value as "value" from (
          select map_entries(traits) as traits from marts.wallet where address = $key and chain = $chain)`,
      params: { key, chain },
      order: [{ column: 'name', type: 'VARCHAR' }],
    }
  },
})
