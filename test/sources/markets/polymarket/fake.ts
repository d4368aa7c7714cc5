import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { HttpError } from '#ingest/http/http.ts'
import { encodeQuery, type Get } from '#ingest/http/request.ts'
import { parseShape } from '#ingest/http/response.ts'
import { valuesOf } from '#ingest/setting.ts'
import type { ReadContext, ReadResult, Source } from '#ingest/source.ts'
import { storedBodies, storedRows, storedUnit } from '#ingest/stored_rows.ts'
import { assertPlanned, partOf } from '#ingest/units.ts'
import { watermarkAt } from '#ingest/watermark.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { toRows } from '#lake/units/column_batch.ts'
import { keepRows } from '#lake/units/spilled_rows.ts'
import { storeUnit, type UnitContents } from '#lake/units/store_unit.ts'
import type { Unit } from '#lake/units/unit.ts'
import { noNetwork } from '#test/ingest/tiny.ts'
import type { Micros } from '#time.ts'

/** The answer of a fake upstream: a body, or a status that is an error. */
type Answer = { body: unknown } | { status: number; error?: string }
export type Upstream = (path: string, query: URLSearchParams) => Answer

/** A `Get` on an upstream in memory, which notes what it was asked. */
export const fakeGet = (upstream: Upstream): { get: Get; asked: string[] } => {
  const asked: string[] = []
  const get: Get = async ({ host = '', path, query }, shape) => {
    const text = encodeQuery(query)
    asked.push(`${path}${text && `?${text}`}`)
    const answer = upstream(path, new URLSearchParams(text))
    if ('status' in answer) {
      const { status, error: body = '' } = answer
      throw new HttpError({ host, path, status, attempts: 1, body, what: `answered ${status}` })
    }
    return parseShape(host, path, JSON.parse(JSON.stringify(answer.body)), shape)
  }
  return { get, asked }
}

export type Gamma = { markets: Record<string, unknown>[]; events?: Record<string, unknown>[]; pageSize?: number }

/** Gamma: `closed` defaults to false, pages are clamped, cursors are opaque. */
export const gamma =
  ({ markets, events = [], pageSize = 2 }: Gamma): Upstream =>
  (path, query) => {
    const closed = query.get('closed') === 'true'
    const ids = query.getAll('condition_ids')
    const [field, rows] = path === '/markets/keyset' ? (['markets', markets] as const) : (['events', events] as const)
    const matching = rows.filter(
      (row) => (row['closed'] === true) === closed && (ids.length === 0 || ids.includes(String(row['conditionId']))),
    )
    const from = Number(query.get('after_cursor') ?? 0)
    const next_cursor = from + pageSize < matching.length ? String(from + pageSize) : undefined
    return { body: { [field]: matching.slice(from, from + pageSize), next_cursor } }
  }

/** A lake in a folder of its own, with the contents of another folder if one is named, and how it is thrown away. */
export const temporaryLake = async (from?: string): Promise<{ lake: Lake; remove: () => Promise<void> }> => {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-'))
  if (from !== undefined) await cp(from, home, { recursive: true })
  const lake = await openLake(home, { threads: 1, memory: '256MB' })
  return {
    lake,
    remove: async () => {
      await lake.close()
      await rm(home, { recursive: true })
    },
  }
}

type Situation = { lake: Lake; get: Get; at: Micros; until?: Micros }

/** Pulls a unit. */
export const readWith = (source: Source, unit: Unit, { lake, get, at, until = at }: Situation): Promise<ReadResult> =>
  lake.read((reader) =>
    pullRows(source, unit, { get, at, until, lake: reader, ...ownOf(source, lake, unit, at) }, lake),
  )

/** Pulls a unit of a source that gives rows as objects. The result has the kept rows too. */
const pullRows = async (
  source: Source,
  unit: Unit,
  context: Omit<ReadContext, 'keepRows' | 'changeRows' | 'bodies'>,
  lake: Lake,
): Promise<ReadResult> => {
  const kept = keepRows(lake)
  try {
    const { keep, change } = kept
    const changeRows: ReadContext['changeRows'] = (dataset, by) => change(dataset, by as Parameters<typeof change>[1])
    const own = { ...context, keepRows: keep, changeRows, bodies: kept.bodies }
    const reading = (await assertPlanned(source).read(unit, own)) as ReadResult
    const rows: Record<string, unknown> = { ...reading.rows }
    for (const name of source.datasets) {
      const whole = toRows(await kept.rowsOf(name, reading.rows[name] ?? []))
      if (name in rows || whole.length > 0) rows[name] = whole
    }
    return { ...reading, rows }
  } finally {
    await kept.close()
  }
}

/** The part of the context of a source that concerns its unit. */
const ownOf = (
  source: Source,
  lake: Lake,
  unit: Unit,
  at: Micros,
): Omit<ReadContext, 'get' | 'at' | 'until' | 'lake' | 'keepRows' | 'changeRows' | 'bodies'> => ({
  settings: valuesOf(source),
  part: partOf(source, unit.part),
  watermark: watermarkAt(source, at),
  stored: () => storedUnit(lake, unit, at),
  storedRows: (dataset, before) => storedRows(lake, unit, dataset, before),
  storedBodies: () => storedBodies(lake, unit),
})

/** Plans a source's units. */
export const planWith = (
  source: Source,
  lake: Lake,
  {
    at,
    from = 0,
    to = at,
    keys = [],
    includeOpen = false,
    get = noNetwork,
  }: { at: Micros; from?: Micros; to?: Micros; keys?: string[]; includeOpen?: boolean; get?: Get },
): Promise<Unit[]> =>
  lake.read((reader) => {
    const [part] = source.parts
    const watermark = watermarkAt(source, at)
    return assertPlanned(source).plan({
      lake: reader,
      get,
      followed: async () => [],
      settings: valuesOf(source),
      part,
      watermark,
      at,
      from,
      to,
      keys,
      includeOpen,
      refresh: false,
    })
  })

/** Stores rows as if a source had read them. */
export const store = async (
  lake: Lake,
  unit: Unit,
  rows: ReadResult['rows'],
  { at, state = 'done', to = unit.to }: { at: Micros; state?: UnitContents['state']; to?: Micros | null },
): Promise<void> => {
  await storeUnit(lake, unit, { rows, rejected: [], precedence: 1, state, to, asked: [], checkedAt: at })
}

/**
 * Plans, pulls and stores all units of a source; gives back what each came to. A unit whose failure has the text
 * `mayFail` is left out.
 */
export const ingest = async (
  source: Source,
  {
    lake,
    get,
    at,
    from = 0,
    to = at,
    mayFail,
  }: { lake: Lake; get: Get; at: Micros; from?: Micros; to?: Micros; mayFail?: string },
): Promise<{ unit: Unit; reading: ReadResult }[]> => {
  const units = await planWith(source, lake, { at, from, to, get })
  const { precedence, datasets } = source
  const done = await lake.read((reader) =>
    Promise.all(
      units.map(async (unit) => {
        const context = { get, at, until: at + 1, lake: reader, ...ownOf(source, lake, unit, at) }
        const reading = await pullRows(source, unit, context, lake).catch((error: unknown) => {
          if (mayFail !== undefined && String(error).includes(mayFail)) return undefined
          throw error
        })
        if (reading === undefined) return []
        const rows = Object.fromEntries(datasets.map((name) => [name, reading.rows[name] ?? []]))
        const state = reading.state === 'complete' ? 'done' : reading.state === 'growing' ? 'head' : reading.state
        const { rejected, proof, reason } = reading
        await storeUnit(lake, unit, {
          rows,
          rejected,
          precedence,
          state,
          to: unit.to,
          proof,
          reason,
          asked: [],
          checkedAt: at,
        })
        return [{ unit, reading }]
      }),
    ),
  )
  return done.flat()
}
