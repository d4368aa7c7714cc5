import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import * as parameter from '#api/contract/input.ts'
import { platforms } from '#registry/platforms/index.ts'

import { assertMart, count, day, text } from './detail_fields.ts'

export const assetDays = defineList({
  path: '/asset-days',
  summary: 'The attention of an asset by day and platform',
  doc: `Returns the days of an asset on each platform over 30 days, by day and platform. \`day_pct\` is its share of the attention
of the platform that day. A day without a post on the asset has no item, and the first day begins at the time of day of
\`X-Data-As-Of\`.`,
  reads: ['scores'],
  query: { symbol: parameter.asset('The asset') },
  item: z
    .strictObject({
      day,
      platform: text('The platform'),
      day_pct: z.number().min(0).max(100).meta({ description: 'Its share of attention there, in percent' }),
      n_posts: count('Posts on it'),
      n_clusters: count('Groups of near-equal posts'),
    })
    .meta({ id: 'AssetDay' }),
  example: { day: '2026-02-14', platform: platforms[0].id, day_pct: 11.482907, n_posts: 412, n_clusters: 380 },
  rows: ({ symbol }, snapshot) => {
    assertMart(snapshot, 'asset_days')
    return {
      sql: `select * replace (day::varchar as day) from marts.asset_days where symbol = $symbol`,
      params: { symbol },
      order: [
        { column: 'day', type: 'VARCHAR' },
        { column: 'platform', type: 'VARCHAR' },
      ],
    }
  },
})
