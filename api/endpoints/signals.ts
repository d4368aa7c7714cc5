import { z } from 'zod'

import { coverageHeader, partial } from '#api/contract/coverage.ts'
import { defineList } from '#api/contract/define.ts'
import { invalidRequest, notReady, quoted } from '#api/contract/errors.ts'
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

\`rank\` counts all tracked assets, also if \`assets\` names a few. An asset without a post in the range has no reading: the
list leaves it out. If \`assets\` names it, it ranks last with mindshare 0, and \`X-Coverage\` names it. An asset that is
not tracked is a 400. The list is empty if no platform was read well enough. \`X-Coverage\` names the platforms that count, and why another platform that
was read does not: it counts if at least 80 % of its hours were read in full, and at least 200 posts have credit.`,
  reads: ['scores'],
  headers: coverageHeader(
    'the platforms that the figures rest on, if these are not all, and the named assets without a reading',
  ),
  assertFits: assertTracked,
  coverage: async (snapshot, query) =>
    partial(...(await platformFaults(snapshot, query)), ...(await withoutReading(snapshot, query))),
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
    if (assets !== undefined) return { sql: namedRows, params: { range, assets }, order: [rank] }
    const sql = 'from marts.signals where range = $range and n_posts > 0'
    return { sql, params: { range }, order: [{ ...rank, isRank: true }] }
  },
})

/** Without a healthy platform an asset has no row in the mart; it ranks after all others. */
const namedRows = `select a.symbol, coalesce(s.mindshare_pct, 0)::double as mindshare_pct,
    coalesce(s.mindshare_delta, 0)::double as mindshare_delta, coalesce(s.sentiment, 'neutral') as sentiment,
    row_number() over (order by s.rank nulls last, a.symbol)::integer as rank
  from marts.assets a
  left join marts.signals s on s.symbol = a.symbol and s.range = $range
  qualify list_contains(string_split($assets, ','), a.symbol)`

type Query = { range: string; assets?: string | undefined }

/** Throws a 400 that names the first asset that is not tracked. */
async function assertTracked({ tables, query }: Snapshot, { assets }: Query): Promise<void> {
  if (assets === undefined) return
  if (!tables.has('assets')) throw notReady(noMart)
  const sql = `select symbol from (select unnest(string_split($assets, ',')) as symbol)
    anti join marts.assets using (symbol) order by symbol limit 1`
  const [row] = await query(sql, { assets })
  if (row)
    throw invalidRequest('assets', `${quoted(String(row['symbol']))} is not tracked`, 'symbols of tracked assets')
}

/** The named assets without a reading, as a reason. */
async function withoutReading({ query }: Snapshot, { range, assets }: Query): Promise<string[]> {
  if (assets === undefined) return []
  const sql = `select symbol from (select unnest(string_split($assets, ',')) as symbol)
    anti join (from marts.signals where range = $range and n_posts > 0) using (symbol) order by symbol`
  const names = (await query(sql, { range, assets })).map(({ symbol }) => String(symbol))
  return names.length === 0 ? [] : [`no reading of ${names.join(', ')}`]
}

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

/** The platforms behind the figures of a range, as reasons, unless these are all. */
async function platformFaults(snapshot: Snapshot, { range }: Query): Promise<string[]> {
  // A snapshot of an earlier version does not have them.
  if (!snapshot.tables.has('signal_platforms')) return ['the platforms are not known']
  const sql = `select platform, is_healthy, was_healthy, floor(covered_share * 100)::double as covered_pct,
      n_credited::double as n_credited from marts.signal_platforms
    where range = $range order by platform`
  const platforms = platformsShape.parse(await snapshot.query(sql, { range }))
  const healthy = platforms.filter(({ is_healthy }) => is_healthy)
  const both = healthy.filter(({ was_healthy }) => was_healthy)
  if (both.length === platforms.length) return []
  const leftOut = platforms.flatMap(whyLeftOut)
  if (healthy.length === 0) return ['no platform was read well enough', ...leftOut]
  const names = (subset: typeof platforms): string => subset.map(({ platform }) => platform).join(', ')
  const now = healthy.length === platforms.length ? [] : [`mindshare rests on ${names(healthy)}`, ...leftOut]
  if (both.length === 0) return [...now, 'no platform was read well enough before, so mindshare_delta is 0']
  return [...now, ...(both.length === healthy.length ? [] : [`mindshare_delta rests on ${names(both)}`])]
}

/** The reason why a platform that was read does not count. */
function whyLeftOut({ platform, is_healthy, covered_pct, n_credited }: Platform): string[] {
  if (is_healthy || (covered_pct === 0 && n_credited === 0)) return []
  return [`not ${platform}: ${covered_pct} % of its hours were read in full, ${n_credited} posts have credit`]
}
