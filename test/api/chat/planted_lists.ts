import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import type { Endpoint } from '#api/contract/endpoint.ts'
import { choice } from '#api/contract/parameters.ts'
import { endpoints } from '#api/endpoints/index.ts'

const signals = defineList({
  path: '/signals',
  summary: 'Momentum',
  doc: 'Momentum of assets.',
  reads: ['scores'],
  query: { assets: z.string().optional(), range: choice(['7d', '30d'], '30d', 'The period.') },
  item: z.strictObject({
    symbol: z.string(),
    mindshare_pct: z.number(),
    mindshare_delta: z.number(),
    sentiment: z.string(),
    rank: z.number(),
  }),
  example: { symbol: 'BTC', mindshare_pct: 1, mindshare_delta: 0, sentiment: 'neutral', rank: 1 },
  rows: ({ assets, range }) => ({
    sql: `from marts.signals where range = $range ${assets === undefined ? '' : `and list_contains(string_split($assets, ','), symbol)`}`,
    params: { range, ...(assets === undefined ? {} : { assets }) },
    order: [{ column: 'rank', type: 'BIGINT' }],
  }),
})

const feed = defineList({
  path: '/feed',
  summary: 'Signals',
  doc: 'The feed.',
  reads: ['pulse'],
  query: { type: z.string().optional(), since: z.string().optional() },
  item: z.strictObject({
    id: z.string(),
    type: z.string(),
    entity: z.string(),
    summary: z.string(),
    timestamp: z.string(),
    tier_required: z.string(),
  }),
  example: { id: 's', type: 'wallet', entity: 'x', summary: 'x', timestamp: 'x', tier_required: 'pro' },
  rows: ({ type, since }) => ({
    sql: `select * replace (strftime(timestamp, '%Y-%m-%dT%H:%M:%S.%gZ') as timestamp) from marts.feed
      where ${type === undefined ? 'true' : 'type = $type'} and ${since === undefined ? 'true' : 'timestamp > $since::timestamp'}`,
    params: { ...(type === undefined ? {} : { type }), ...(since === undefined ? {} : { since }) },
    order: [{ column: 'rank', type: 'BIGINT' }],
  }),
})

const served = new Set(endpoints.map(({ name }) => name))

/** The endpoints of the service, and those of the contract that it does not have yet. */
export const allEndpoints: readonly Endpoint[] = [
  ...endpoints,
  ...[signals, feed].filter(({ name }) => !served.has(name)),
]
