import { z } from 'zod'

import type { Address } from '#api/contract/address.ts'
import type { Chain } from '#registry/chains/chain.ts'
import type { Snapshot } from '#snapshots/marts.ts'

import { walletTags } from './discover.ts'

export const behaviors = [
  'unproven',
  'arbitrageur',
  'sniper',
  'fade_target',
  'scalper',
  'swing_trader',
  'diamond_hands',
  'accumulator',
  'whale',
  'dormant',
  'generalist',
] as const

const figuresShape = z
  .object({
    chain: z.string(),
    tags: z.array(z.enum(walletTags)),
    realized_30d: z.number(),
    realized_all_time: z.number(),
    unranked_30d: z.number(),
    unranked_all_time: z.number(),
    behavior_archetype: z.enum(behaviors),
    is_complete: z.boolean(),
    unlisted_reason: z.string().nullable(),
  })
  .transform(({ chain, tags, behavior_archetype, is_complete, unlisted_reason, ...pnl }) => ({
    chain,
    tags,
    behavior_archetype,
    pnl,
    reason: is_complete ? null : (unlisted_reason ?? 'incomplete history'),
  }))

/** The figures of a wallet on a chain. `reason` states why its history is incomplete; null if it is complete. */
type Figures = z.output<typeof figuresShape>

export const noFigures: Pick<Figures, 'tags' | 'pnl' | 'behavior_archetype'> = {
  tags: [],
  pnl: { realized_30d: 0, realized_all_time: 0, unranked_30d: 0, unranked_all_time: 0 },
  behavior_archetype: 'unproven',
}

/** The figures on a chain, or else on the chain with the largest volume of 30 days; null without any. */
export async function readFigures(
  { tables, query }: Snapshot,
  { key }: Address,
  slug?: string,
): Promise<Figures | null> {
  if (!tables.has('wallet')) return null
  const rows = await query(
    `select chain, tags, realized_30d, realized_all_time, unranked_30d, unranked_all_time, behavior_archetype,
       is_complete, unlisted_reason
     from marts.wallet
     where address = $key ${slug === undefined ? '' : 'and chain = $slug'}
     order by volume_30d desc, chain = 'ethereum' desc, chain
     limit 1`,
    { key, ...(slug === undefined ? {} : { slug }) },
  )
  return z.array(figuresShape).parse(rows)[0] ?? null
}

const stored = z.array(z.object({ has_rows: z.boolean() }))

/** The reason why nothing is known of a wallet: its chain is not read, or no trade of it is stored. */
export async function whyNoFigures(
  { tables, query }: Snapshot,
  { slug }: Chain,
): Promise<{ reason: string; isRead: boolean }> {
  if (!tables.has('wallet')) return { reason: 'wallets are not scored yet', isRead: false }
  const rows = await query(
    `select coalesce(sum(n_rows) > 0, false) as has_rows
     from marts.coverage where kind = 'chain' and part = $slug having count(*) > 0`,
    { slug },
  )
  const [coverage] = stored.parse(rows)
  if (!coverage?.has_rows) return { reason: `${slug} is not read`, isRead: coverage !== undefined }
  return { reason: `no trade is stored on ${slug}`, isRead: true }
}
