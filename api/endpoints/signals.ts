import { z } from 'zod'

import { complete, coverageHeader, partial, type Coverage } from '#api/contract/coverage.ts'
import { defineList } from '#api/contract/define.ts'
import { notReady } from '#api/contract/errors.ts'
import { choice, symbols } from '#api/contract/input.ts'
import type { Snapshot } from '#snapshots/marts.ts'

export const signals = defineList({
  path: '/signals',
  summary: 'Narrative momentum and sentiment',
  doc: `Returns tracked assets by \`rank\`: in descending order of \`mindshare_pct\`, ties by \`symbol\`.

\`mindshare_pct\` is the share of an asset in the attention of the range, in percent of all recognised assets, averaged
over the platforms that were read well enough. \`mindshare_delta\` is its change against the range of equal length before,
in percentage points, over the platforms that were read well enough in both; it is 0 without one. Copies of a text,
further posts of one author and posts of poor authors add little.

\`sentiment\` compares the tone of posts on the asset with the tone of posts on all other assets of the same platform:
\`bullish\` or \`bearish\` if they differ beyond 1.645 standard errors and at least 10 authors posted, else \`neutral\`.

\`rank\` counts all tracked assets, also if \`assets\` names a few. Assets that are not tracked have no item. The list is
empty if no platform was read well enough. \`X-Coverage\` names the platforms that count, and why another platform that
was read does not: it counts if at least 80 % of its hours were read in full, and at least 200 posts have credit.`,
  reads: ['scores'],
  headers: coverageHeader('the platforms that the figures rest on, if these are not all platforms'),
  coverage: coverageOf,
  query: {
    assets: symbols('The assets, by symbol').optional(),
    range: choice(['7d', '30d'], '30d', 'The period of the figures, which ends at `X-Data-As-Of`.'),
  },
  item: z
    .strictObject({
      symbol: z.string().meta({ description: 'The symbol of the asset' }),
      mindshare_pct: z.number().min(0).max(100).meta({ description: 'Its share of attention, in percent' }),
      mindshare_delta: z.number().meta({ description: 'The change of that share, in percentage points' }),
      sentiment: z.enum(['bullish', 'neutral', 'bearish']).meta({ description: 'Its tone beside other assets' }),
      rank: z.int().min(1).meta({ description: 'Its rank by mindshare in the range, among all tracked assets' }),
    })
    .meta({ id: 'AssetMomentum' }),
  example: { symbol: 'SOL', mindshare_pct: 11.482907, mindshare_delta: 2.150311, sentiment: 'bullish', rank: 3 },
  rows: ({ assets, range }, { tables }) => {
    if (!tables.has('signals')) throw notReady(noMart)
    const rank = { column: 'rank', type: 'INTEGER' }
    const sql = 'from marts.signals where range = $range'
    if (assets === undefined) return { sql, params: { range }, order: [{ ...rank, isRank: true }] }
    const named = `${sql} and list_contains(string_split($assets, ','), symbol)`
    return { sql: named, params: { range, assets }, order: [rank] }
  },
})

const noMart = 'the snapshot of scores is of a version without mindshare ("tapeline score" publishes a new one)'

const platformsShape = z.array(
  z.object({
    platform: z.string(),
    is_healthy: z.boolean(),
    was_healthy: z.boolean(),
    covered_pct: z.number(),
    n_credited: z.number(),
  }),
)

type Platform = z.output<typeof platformsShape>[number]

/** The platforms behind the figures of a range, unless these are all. */
async function coverageOf(snapshot: Snapshot, { range }: { range: string }): Promise<Coverage> {
  // A snapshot of an earlier version does not have them.
  if (!snapshot.tables.has('signal_platforms')) return partial('the platforms are not known')
  const sql = `select platform, is_healthy, was_healthy, floor(covered_share * 100)::double as covered_pct,
      n_credited::double as n_credited from marts.signal_platforms
    where range = $range order by platform`
  const platforms = platformsShape.parse(await snapshot.query(sql, { range }))
  const healthy = platforms.filter(({ is_healthy }) => is_healthy)
  const both = healthy.filter(({ was_healthy }) => was_healthy)
  if (both.length === platforms.length) return complete
  const leftOut = platforms.flatMap(whyLeftOut)
  if (healthy.length === 0) return partial('no platform was read well enough', ...leftOut)
  const names = (subset: typeof platforms): string => subset.map(({ platform }) => platform).join(', ')
  const now = healthy.length === platforms.length ? [] : [`mindshare rests on ${names(healthy)}`, ...leftOut]
  if (both.length === 0) return partial(...now, 'no platform was read well enough before, so mindshare_delta is 0')
  return partial(...now, ...(both.length === healthy.length ? [] : [`mindshare_delta rests on ${names(both)}`]))
}

/** The reason why a platform that was read does not count. */
function whyLeftOut({ platform, is_healthy, covered_pct, n_credited }: Platform): string[] {
  if (is_healthy || (covered_pct === 0 && n_credited === 0)) return []
  return [`not ${platform}: ${covered_pct} % of its hours were read in full, ${n_credited} posts have credit`]
}
