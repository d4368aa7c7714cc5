import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import * as parameter from '#api/contract/input.ts'

import { assertMart, count, day, usd } from './detail_fields.ts'

export const traderDays = defineList({
  path: '/trader-days',
  summary: 'The result of a trader by day',
  doc: `Returns the UTC days on which a trader traded or realized a result, over all time. \`equity\` is the realized result so
far, and \`drawdown\` its fall from the highest earlier \`equity\`, or from 0. The last \`equity\` is the \`pnl\` of
\`/v1/trader-profile\`.`,
  reads: ['scores'],
  query: { address: parameter.address('The trader') },
  item: z
    .strictObject({
      day,
      pnl: usd('The result realized on the day'),
      equity: usd('The result realized so far'),
      drawdown: usd('The fall of `equity` from its peak'),
      volume: usd('Cash traded on the day'),
      n_fills: count('Fills on the day'),
    })
    .meta({ id: 'TraderDay' }),
  example: { day: '2026-02-14', pnl: 120.4, equity: 12840.11, drawdown: 0, volume: 912.4, n_fills: 7 },
  rows: ({ address: { key } }, snapshot) => {
    assertMart(snapshot, 'pm_wallet_days')
    return {
      sql: `select * replace (day::varchar as day) from marts.pm_wallet_days where address = $key`,
      params: { key },
      order: [{ column: 'day', type: 'VARCHAR' }],
    }
  },
})
