import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import * as parameter from '#api/contract/input.ts'

import { assertMart, text } from './detail_fields.ts'

export const traderTraits = defineList({
  path: '/trader-traits',
  summary: 'The evidence of an archetype',
  doc: `Returns the figures that decide the archetype of a trader, and whether its trades are like wash trades, by name. The
rules are those of \`metrics.trader_traits\` and \`metrics.wash_shares\`. The address is the \`wallet\` of \`/v1/trader-profile\`.`,
  reads: ['scores'],
  query: { address: parameter.address('The trader') },
  item: z
    .strictObject({
      name: text('The name of the figure, as its definition has it'),
      value: z.number().meta({ description: 'Its value; names state the unit' }),
    })
    .meta({ id: 'TraderTrait' }),
  example: { name: 'maker_share', value: 0.12 },
  rows: ({ address: { key } }, snapshot) => {
    assertMart(snapshot, 'pm_wallet_days')
    return {
      sql: `select unnest(traits).key as name, unnest(traits).value as "value" from (
          select map_entries(traits) as traits from marts.pm_wallet where address = $key)`,
      params: { key },
      order: [{ column: 'name', type: 'VARCHAR' }],
    }
  },
})
