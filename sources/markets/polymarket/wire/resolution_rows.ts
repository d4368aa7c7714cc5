import { z } from 'zod'

import { isChange, lastRows } from '#ingest/change_rows.ts'
import { HttpError } from '#ingest/http/http.ts'
import type { Get } from '#ingest/http/request.ts'
import { conditionId } from '#ingest/parse/ids.ts'
import { isoInstant } from '#ingest/parse/timestamps.ts'
import type { RejectedRow } from '#ingest/source.ts'
import type { Resolution } from '#lake/datasets/index.ts'
import type { LakeReader } from '#lake/reader.ts'
import { clobHost } from '#sources/markets/polymarket/hosts.ts'
import type { Micros } from '#time.ts'

import { clobMarket, resolutionOf } from './clob_rows.ts'
import { askedId, paramOf } from './ids.ts'
import { dataOfIds } from './paging.ts'
import { idOf, maybe, maybeText, nativeId, parseRows, VENUE } from './types.ts'

const IDS_PER_REQUEST = 20

type NewResolution = Omit<Resolution, 'source'>

const MILLION = 1_000_000
/** The payouts of a scalar market may be rounded, each by less than a millionth. */
const payouts = z
  .array(z.number().int().min(0).max(MILLION))
  .refine((parts) => Math.abs(parts.reduce((sum, part) => sum + part, 0) - MILLION) < parts.length || !parts.length, {
    message: 'expected millionths that add up to a million',
  })

export const resolutionRow = z
  .object({
    condition_id: conditionId,
    status: z.string(),
    payouts: maybe(payouts),
    resolved_at: maybe(isoInstant),
    transaction_hash: maybeText,
  })
  .refine(
    ({ status, payouts: parts, resolved_at }) =>
      status !== 'resolved' || parts === null || parts.length === 0 || resolved_at !== null,
    {
      path: ['resolved_at'],
      message: 'expected an instant beside the payouts',
    },
  )

type ResolutionRow = z.output<typeof resolutionRow>

/**
 * Final payouts by v2, and the times of markets that v2 calls resolved without payouts (UMA rows with only a price).
 * Null if v2 is absent.
 */
export async function readV2(
  get: Get,
  ids: readonly string[],
  rejected: RejectedRow[],
): Promise<{ resolutions: NewResolution[]; unpaid: Map<string, Micros | null> } | null> {
  const resolutions: NewResolution[] = []
  const unpaid = new Map<string, Micros | null>()
  try {
    for (let start = 0; start < ids.length; start += IDS_PER_REQUEST) {
      for (const row of await readRows(get, ids.slice(start, start + IDS_PER_REQUEST), rejected)) {
        const { condition_id, payouts: parts, resolved_at } = row
        if (row.status !== 'resolved') continue
        if (parts !== null && parts.length > 0 && resolved_at !== null) {
          resolutions.push(toResolution(row, parts, resolved_at))
        } else unpaid.set(condition_id, resolved_at)
      }
    }
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return null
    throw error
  }
  for (const { market_id } of resolutions) unpaid.delete(nativeId(market_id))
  return { resolutions, unpaid }
}

async function readRows(get: Get, ids: readonly string[], rejected: RejectedRow[]): Promise<ResolutionRow[]> {
  const path = '/v2/resolutions'
  const isAsked = { path: ['condition_id'], message: 'expected a requested market' }
  const asked = new Set(ids)
  const shape = resolutionRow
    .transform((row) => ({ ...row, condition_id: askedId(row.condition_id, asked) }))
    .refine((row) => asked.has(row.condition_id), isAsked)
  const rows: ResolutionRow[] = []
  for await (const page of dataOfIds(get, path, { condition: ids.map(paramOf).join() })) {
    rows.push(...parseRows(page, shape, { dataset: 'resolutions', path, rejected }))
  }
  return rows
}

const toResolution = (
  { condition_id, transaction_hash }: ResolutionRow,
  parts: readonly number[],
  ts: Micros,
): NewResolution => ({
  market_id: idOf(condition_id),
  ts,
  venue: VENUE,
  payouts: parts.map(BigInt),
  status: 'resolved',
  tx: transaction_hash,
})

/**
 * The resolutions of markets by the CLOB. It has no times: the instant is the given one, or that of the first
 * observation, which is carried over with the transaction.
 */
export async function readClob(
  get: Get,
  markets: ReadonlyMap<string, Micros | null>,
  { lake, at, rejected }: { lake: LakeReader; at: Micros; rejected: RejectedRow[] },
): Promise<NewResolution[]> {
  if (markets.size === 0) return []
  const last = await lastResolutions(lake, [...markets.keys()], at)
  const resolutions: NewResolution[] = []
  for (const [id, resolvedAt] of markets) {
    const path = `/markets/${id}`
    const body = await get({ host: clobHost.name, path }, z.unknown()).catch((error: unknown) => {
      if (error instanceof HttpError && error.status === 404) return undefined
      throw error
    })
    const bodies = body === undefined ? [] : [body]
    for (const market of parseRows(bodies, clobMarket, { dataset: 'resolutions', path, rejected })) {
      const row = resolutionOf(market, resolvedAt ?? at)
      if (row === null) continue
      const before = last.get(row.market_id)
      // The CLOB has no transaction either.
      const carried = before && { ...row, ts: Number(before['ts']), tx: maybeText.parse(before['tx']) }
      const isSame = resolvedAt === null && carried !== undefined && !isChange('resolutions', carried, before, 'ts')
      resolutions.push(isSame ? carried : row)
    }
  }
  return resolutions
}

const lastResolutions = (lake: LakeReader, ids: readonly string[], before: Micros) =>
  lastRows(lake, {
    dataset: 'resolutions',
    source: 'polymarket_resolutions',
    instant: 'ts',
    before,
    market_ids: ids.map(idOf),
  })

const storedResolution = z.object({
  market_id: z.string(),
  ts: z.bigint().transform(Number),
  venue: z.string(),
  payouts: z.array(z.bigint()),
  status: z.string(),
  tx: z.string().nullable(),
})

/** The stored rows of markets that are missing from a reading: a final payout stays. */
export async function storedResolutions(
  lake: LakeReader,
  ids: readonly string[],
  before: Micros,
): Promise<NewResolution[]> {
  if (ids.length === 0) return []
  return [...(await lastResolutions(lake, ids, before)).values()].map((row) => storedResolution.parse(row))
}
