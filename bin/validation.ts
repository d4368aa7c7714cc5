import { readFile, rm } from 'node:fs/promises'

import { z } from 'zod'

import { buildMarts, type BuildSettings } from '#lake/build.ts'
import type { Micros } from '#lake/columns.ts'
import { literal, openDuckDB, withConnection } from '#lake/duckdb.ts'
import type { Lake } from '#lake/lake.ts'
import { isMart, type SqlModel } from '#lake/model.ts'
import { parseModel } from '#lake/models.ts'
import { isoMicros } from '#lake/store.ts'
import type { Evidence } from '#scoring/validate/report.ts'

/** The instant up to which the fills of the markets were read; undefined where none were. */
export async function readUntil(lake: Lake): Promise<Micros | undefined> {
  // Accounts are read each in its time; what is traded is known as far as the markets, or a feed of them, were read. Where
  // all of them are over, and so read for good, it is as far as somebody looked for new ones.
  const sql = `select epoch_us(coalesce(
      max(to_at) filter (dataset = 'fills' and source not in (select source from lake.coverage where dataset = 'activity')),
      max(to_at) filter (dataset = 'markets')
    )) as reached
    from lake.coverage where state in ('done', 'head', 'unproved', 'quarantined')`
  const [found] = await lake.read(({ query }) => query(sql, z.object({ reached: z.bigint().nullable() })))
  return found === undefined || found.reached === null ? undefined : Number(found.reached)
}

/** The length of the period and its start; the rest as for any build. */
export type Period = { at: Micros; until: Micros; settings: Omit<BuildSettings, 'asOf'> }

/** What the lake tells of ranks as of an instant, and of the results from there until another. It publishes nothing. */
export async function gather(lake: Lake, { at, until, settings }: Period): Promise<Evidence> {
  const before = await buildApart(lake, { ...settings, asOf: at }, ['ranks', 'funnel'], [])
  const period = parseModel(
    'core',
    'period',
    `-- The period of which results are asked.\n-- columns: from_at;\nselect timestamp ${literal(isoMicros(at))} as from_at`,
  )
  const after = await buildApart(lake, { ...settings, asOf: until }, ['realized_clv', 'returns', 'reach'], [period])
  const realized = new Map(
    z
      .array(realizedShape)
      .parse(after['realized_clv'])
      .map((row) => [`${row.trader} ${row.kind}`, row.realized_points]),
  )
  const returns = new Map(
    z
      .array(returnShape)
      .parse(after['returns'])
      .map((row) => [row.trader, row.pnl_usd / row.cost_usd]),
  )
  const [funnel] = z.array(funnelShape).parse(before['funnel'])
  const [reach] = z.array(reachShape).parse(after['reach'])
  if (funnel === undefined || reach === undefined) throw new Error('a build without a clock counts nothing')
  return {
    at: isoOf(at),
    until: isoOf(until),
    funnel,
    reach,
    traders: z
      .array(rankShape)
      .parse(before['ranks'])
      .map(({ trader, clv_kind, clv_points, pnl_usd, win_rate }) => ({
        trader,
        kind: clv_kind,
        scores: { clv: clv_points, pnl: pnl_usd, win_rate },
        realized_points: realized.get(`${trader} ${clv_kind}`) ?? null,
        roi: returns.get(trader) ?? null,
      })),
  }
}

const number = z.coerce.number()
const rankShape = z.object({
  trader: z.string(),
  clv_kind: z.string(),
  clv_points: number,
  pnl_usd: number,
  win_rate: number,
})
const funnelShape = z.object({ n_known: number, n_complete: number, n_proven: number, n_scored: number })
const realizedShape = z.object({ trader: z.string(), kind: z.string(), realized_points: number })
const returnShape = z.object({ trader: z.string(), cost_usd: number, pnl_usd: number })
const reachShape = z.object({ n_markets: number, n_covered: number })

const isoOf = (at: Micros): string => new Date(at / 1000).toISOString().replace('.000Z', 'Z')

/**
 * Makes selects of `scoring/validate` over all models, and gives their rows by name. They are built as the marts of a
 * pulse are: what they rest on is made, nothing else is, and nothing of it is kept.
 */
async function buildApart(
  lake: Lake,
  settings: BuildSettings,
  names: readonly string[],
  given: readonly SqlModel[],
): Promise<Record<string, unknown[]>> {
  const selects = await Promise.all(names.map(loadSelect))
  const models = [...settings.models.filter((model) => !isMart(model)), ...given, ...selects]
  const { file } = await buildMarts(lake, 'pulse', { ...settings, models })
  try {
    const { threads, memory } = settings
    const instance = await openDuckDB({ threads, memory, scratch: lake.scratch })
    try {
      return await withConnection(instance, async (connection) => {
        await connection.run(`attach ${literal(file)} as built (read_only)`)
        const tables: Record<string, unknown[]> = {}
        for (const name of names) {
          // The order of the key, so that a seed draws the same traders in every run.
          const reader = await connection.runAndReadAll(`from built.marts.${name} order by all`)
          tables[name] = reader.getRowObjectsJson()
        }
        return tables
      })
    } finally {
      instance.closeSync()
    }
  } finally {
    await rm(file, { force: true })
  }
}

const selects = new URL('../scoring/validate/', import.meta.url)

const loadSelect = async (name: string): Promise<SqlModel> => ({
  ...parseModel('marts', name, await readFile(new URL(`${name}.sql`, selects), 'utf8')),
  publish: 'pulse',
})
