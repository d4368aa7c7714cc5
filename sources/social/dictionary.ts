import { createHash } from 'node:crypto'

import { LRUCache } from 'lru-cache'
import { z } from 'zod'

import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Asset } from '#text/dictionary/asset.ts'
import { shippedAssets } from '#text/dictionary/shipped.ts'
import { HOUR, type Micros } from '#time.ts'

/** The assets by which the posts of a unit are read, with all their dates, by the begin of the unit. */
export type Dictionary = (from: Micros) => readonly Asset[]

/**
 * A unit is read by the assets that the lake knew an hour before its begin. So a later reading of the same unit, also
 * by another run of a stream, finds the same assets.
 */
const LAG: Micros = HOUR

/**
 * Reads the dictionary of a lake for the units from an instant on: of each asset and date the row that was seen last.
 * Units before the first stored dictionary are read by the shipped assets.
 */
export async function dictionaryIn(lake: LakeReader, since: Micros): Promise<Dictionary> {
  const rows = await lake.query(
    `select * replace (epoch_us(valid_at) as valid_at, epoch_us(seen_at) as seen_at), hash(assets)::varchar as digest
     from lake.assets
     qualify seen_at > $limit
       or row_number() over (partition by asset_id, valid_at, seen_at > $limit order by seen_at desc) = 1
     order by market_rank nulls last, asset_id, valid_at, seen_at`,
    rowShape,
    { limit: time.encode(since - LAG) },
  )
  const instants = [...new Set(rows.map(({ seen_at }) => seen_at))].sort((a, b) => a - b)
  const assetsByInstant = new Map<Micros, readonly Asset[]>()
  return (from) => {
    const last = instants.findLast((seen_at) => seen_at <= from - LAG)
    if (last === undefined) return (shipped ??= shippedAssets())
    const seen = assetsByInstant.get(last) ?? interned(assetsSeen(rows, last))
    assetsByInstant.set(last, seen)
    return seen
  }
}

let shipped: readonly Asset[] | undefined

/** The last dictionaries by the digests of their rows. One array each lets a matcher be made once for all pulls. */
const dictionaries = new LRUCache<string, readonly Asset[]>({ max: 4 })

function interned(rows: readonly z.output<typeof rowShape>[]): readonly Asset[] {
  const key = createHash('sha256')
    .update(rows.map(({ digest }) => digest).join())
    .digest('base64')
  const assets = dictionaries.get(key) ?? rows
  dictionaries.set(key, assets)
  return assets
}

const instant = z.bigint().transform(Number)
const assetShape = z.object({
  asset_id: z.string(),
  valid_at: instant,
  symbol: z.string(),
  name: z.string(),
  market_rank: z.number().nullable(),
  dominance: z.number().nullable(),
  is_tracked: z.boolean(),
  is_never_bare: z.boolean(),
  aliases: z.array(z.string()),
  context_any: z.array(z.string()),
  exclude_any: z.array(z.string()),
  tokens: z.array(z.string()),
})
const rowShape = assetShape.extend({ seen_at: instant, digest: z.string() })

/** The assets with all their dates, as lists gave them before an instant; none without a stored list. */
export const assetsBefore = (lake: LakeReader, at: Micros): Promise<Asset[]> =>
  lake.query(
    `select * replace (epoch_us(valid_at) as valid_at) from lake.assets where seen_at < $at
     qualify row_number() over (partition by asset_id, valid_at order by seen_at desc) = 1
     order by asset_id, valid_at`,
    assetShape,
    { at: time.encode(at) },
  )

/** The last row of each asset and date up to an instant. */
function assetsSeen(rows: readonly z.output<typeof rowShape>[], at: Micros): z.output<typeof rowShape>[] {
  const last = new Map<string, z.output<typeof rowShape>>()
  for (const row of rows) {
    const key = `${row.asset_id} ${row.valid_at}`
    if (row.seen_at <= at && row.seen_at >= (last.get(key)?.seen_at ?? -Infinity)) last.set(key, row)
  }
  return [...last.values()]
}
