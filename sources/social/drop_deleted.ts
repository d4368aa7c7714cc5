import { z } from 'zod'

import type { Source } from '#ingest/source.ts'
import { storedBefore } from '#ingest/stored_rows.ts'
import { toCoverage } from '#lake/catalog/coverage_rows.ts'
import type { Coverage, DatasetName } from '#lake/datasets/index.ts'
import { datasets } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { gapsIn, reasonCodeShape } from '#lake/reasons.ts'
import { findUnits } from '#lake/units/find_units.ts'
import { storeUnit, type UnitContents } from '#lake/units/store_unit.ts'
import { rawPath, unitPath, type Unit } from '#lake/units/unit.ts'
import { HOUR, type Micros } from '#time.ts'

type Deleted = z.output<typeof deletedShape>
const deletedShape = z.object({
  source: z.string(),
  platform: z.string(),
  post_id: z.string(),
  ts: z.bigint().transform(Number),
  gone_at: z.bigint().transform(Number),
})

/**
 * Drops the texts of posts with a tombstone, and of posts of authors with a later one. Their units are stored again
 * without them; the posts stay. The raw responses that may hold a text go with it. Returns the number of texts.
 */
export async function dropDeleted(
  { lake, sources, now }: { lake: Lake; sources: readonly Source[]; now: Micros },
  signal?: AbortSignal,
): Promise<number> {
  const deleted = await deletedTexts(lake)
  let n_dropped = 0
  for (const source of sources) {
    const sourceTexts = deleted.filter((text) => text.source === source.name)
    if (sourceTexts.length === 0) continue
    await deleteRaw(lake, source, sourceTexts)
    const keys = sourceTexts.map(({ platform, post_id }) => [platform, post_id])
    for (const id of await findUnits(lake, { source: source.name, dataset: 'post_text', keys })) {
      if (signal?.aborted === true) return n_dropped
      n_dropped += await storeWithout(lake, { source, id, gone: new Set(keys.map(String)), now })
    }
  }
  return n_dropped
}

const deletedTexts = (lake: Lake): Promise<Deleted[]> =>
  lake.read(({ query }) =>
    query(
      `with gone as (
         select t.source, t.platform, t.post_id, t.ts, d.ts as gone_at from lake.post_text t
         join lake.tombstones d on d.platform = t.platform and d.kind = 'post' and d.target = t.post_id
         union all
         select t.source, t.platform, t.post_id, t.ts, d.ts as gone_at from lake.post_text t
         join lake.posts p on p.platform = t.platform and p.post_id = t.post_id
         join lake.tombstones d on d.platform = p.platform and d.kind = 'author' and d.target = p.author
         where t.ts <= d.ts)
       select source, platform, post_id, epoch_us(min(ts)) as ts, epoch_us(max(gone_at)) as gone_at from gone
       group by all order by all`,
      deletedShape,
    ),
  )

/** Deletes the raw responses of the time in which the upstream may have shown the texts. A stream has none. */
async function deleteRaw({ catalog, storage }: Lake, source: Source, deleted: readonly Deleted[]): Promise<void> {
  if (source.kind === 'stream') return
  let [from, to] = [Infinity, -Infinity]
  for (const { ts, gone_at } of deleted) [from, to] = [Math.min(from, ts), Math.max(to, gone_at)]
  const units = await catalog.db
    .selectFrom('tapeline_coverage')
    .selectAll()
    .where('source', '=', source.name)
    .where('dataset', '=', 'post_text')
    .where('end_snapshot', 'is', null)
    .where('from_at', '<=', to)
    .where('to_at', '>=', from)
    .execute()
  for (const row of units) await storage.delete(rawPath(unitOfEntry(source, toCoverage(row))))
}

const unitOfEntry = ({ unit: kind }: Source, { source, part, key, from_at, to_at }: Coverage): Unit => ({
  source,
  kind,
  part,
  key,
  from: from_at ?? 0,
  to: to_at,
  params: [],
})

const rejectedShape = z.object({
  dataset: z.enum(Object.keys(datasets) as [DatasetName, ...DatasetName[]]),
  reason: z.string(),
  path: z
    .string()
    .nullable()
    .transform((path) => path ?? undefined),
  body: z.string(),
})

/** Stores a unit again without some texts. An hour that its stream may still store is left for the next time. */
async function storeWithout(
  lake: Lake,
  { source, id, gone, now }: { source: Source; id: string; gone: ReadonlySet<string>; now: Micros },
): Promise<number> {
  const stored = lake.catalog.db.selectFrom('tapeline_coverage').selectAll().where('unit', '=', id)
  const entries = (await stored.where('end_snapshot', 'is', null).execute()).map(toCoverage)
  const [entry] = entries
  if (entry === undefined) return 0
  const isClosed = entries.some(({ state }) => state === 'done') || (entry.to_at ?? now) < now - HOUR
  const unit = unitOfEntry(source, entry)
  if (!isClosed || unitPath(unit) !== id) return 0
  // A list is read for a while, so that it may show a post from after the instant of its unit.
  if (source.kind !== 'stream') await lake.storage.delete(rawPath(unit))
  const rows: UnitContents['rows'] = {}
  for (const { dataset, n_rows } of entries) {
    const name = dataset as DatasetName
    rows[name] = n_rows === 0 ? [] : await storedBefore(lake, unit, name, Infinity)
  }
  const texts = (rows.post_text ?? []) as readonly Record<string, unknown>[]
  rows.post_text = texts.filter(({ platform, post_id }) => !gone.has([platform, post_id].join()))
  const rejected = await lake.read(({ query }) =>
    query(
      `select dataset, reason, path, body from lake.quarantine where source = $source and unit = $unit order by ordinal`,
      rejectedShape,
      { source: source.name, unit: id },
      { quarantine: [id] },
    ),
  )
  const { precedence, asked, checked_at, proof, reason, reason_code, gaps, upstream_at } = entry
  await storeUnit(lake, unit, {
    rows,
    // The rows of the upstream are those of its reading, whatever is dropped of them.
    n_read: Object.fromEntries(entries.map(({ dataset, n_read }) => [dataset, n_read])),
    n_rejected: Object.fromEntries(entries.map(({ dataset, n_rejected }) => [dataset, n_rejected])),
    rejected: rejected.map(({ path, ...row }) => (path === undefined ? row : { ...row, path })),
    precedence,
    state: stateOf(entry),
    to: entry.to_at,
    ...(proof === null ? {} : { proof }),
    ...(reason === null ? {} : { reason }),
    ...(reason_code === null ? {} : { reasonCode: reasonCodeShape.parse(reason_code) }),
    gaps: gapsIn(gaps),
    ...(upstream_at === null ? {} : { upstreamAt: upstream_at }),
    asked,
    checkedAt: checked_at,
  })
  return texts.length - rows.post_text.length
}

const stateShape = z.enum(['done', 'head', 'quarantined', 'unverified', 'unavailable'])
const stateOf = ({ state }: Coverage): UnitContents['state'] => stateShape.parse(state)
