import { LeaseHeld, withLease } from '#lake/catalog/lease.ts'
import type { Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import { unitPath } from '#lake/units/unit.ts'
import type { BuildSettings } from '#models/build.ts'
import { queryModel } from '#models/query_model.ts'
import type { Micros } from '#time.ts'

import { parseCandidate, type Candidate } from './candidate.ts'
import { feedRowOf } from './feed_row.ts'

/** The unit of a publication of signals is its first instant; its source is this. */
const source = 'signals'
const MILLISECOND = 1_000

/** `clock` is the time of the world, `secret` makes the ids of signals. */
type Tools = { secret: Buffer; clock: () => Micros }

/**
 * Finds and publishes the signals as of an instant: they are appended to the dataset `feed` in one commit. A published
 * signal is never changed. A repetition finds the stored ones, and publishes none twice. Returns the number of new ones:
 * 0 also while another process publishes, and before the first scores.
 */
export async function publishSignals(lake: Lake, settings: BuildSettings, tools: Tools): Promise<number> {
  try {
    return await withLease(lake.catalog, 'signals', settings.now, async () => {
      const found = await findSignals(lake, settings)
      if (found.length > 0) await append(lake, found, { ...tools, tick_at: settings.asOf, now: settings.now })
      return found.length
    })
  } catch (error) {
    if (error instanceof LeaseHeld || error instanceof LaterSignals) return 0
    throw error
  }
}

/** Another process has published signals after this one read the feed. The next publication finds the rest. */
class LaterSignals extends Error {
  override name = 'LaterSignals'
}

/** The candidates that are published now, in a fixed order. */
async function findSignals(lake: Lake, settings: BuildSettings): Promise<Candidate[]> {
  const rows = await queryModel(
    lake,
    {
      model: 'metrics.candidates',
      slow: {
        publication: 'scores',
        marts: { 'metrics.signal_traders': 'signal_traders', 'metrics.signal_markets': 'signal_markets' },
      },
      prunes: [
        { table: 'fills', hours: 2 },
        { table: 'fills', source: 'polymarket_activity' },
        { table: 'fills', source: 'limitless_activity' },
      ],
    },
    settings,
  )
  const nameOf = ({ type, entity, direction }: Candidate): string => `${type} ${entity} ${direction}`
  return (rows ?? [])
    .map(parseCandidate)
    .filter(({ is_published }) => is_published)
    .toSorted((a, b) => a.score - b.score || (nameOf(a) < nameOf(b) ? -1 : 1))
}

/**
 * Appends signals to the feed. `published_at` is in whole milliseconds and rises strictly: the commit fails if another
 * process has published later ones, so that a reader of all up to an instant has all.
 */
async function append(
  lake: Lake,
  found: readonly Candidate[],
  { secret, clock, tick_at, now }: Tools & { tick_at: Micros; now: () => Micros },
): Promise<void> {
  const first = Math.max(Math.floor(clock() / MILLISECOND) * MILLISECOND, await endOfFeed(lake.catalog.db, ''))
  const rows = found.map((one, n) => feedRowOf(one, { secret, tick_at, published_at: first + n * MILLISECOND }))
  const last = first + (rows.length - 1) * MILLISECOND
  const unit = {
    source,
    kind: 'history' as const,
    part: source,
    key: new Date(first / MILLISECOND).toISOString().replaceAll(/[:.]/g, ''),
    from: first,
    to: last + MILLISECOND,
    params: [],
  }
  await storeUnit(lake, unit, {
    rows: { feed: rows },
    rejected: [],
    precedence: 1,
    state: 'done',
    to: unit.to,
    proof: 'published here',
    asked: [],
    checkedAt: now(),
    inCommit: async ({ tx }) => {
      if ((await endOfFeed(tx, unitPath(unit))) > first) throw new LaterSignals('signals: later ones were published')
    },
  })
}

/** The end of the stored signals, which are those of all units but one: no later signal has an earlier instant. */
async function endOfFeed(db: Lake['catalog']['db'], but: string): Promise<Micros> {
  const row = await db
    .selectFrom('tapeline_coverage')
    .select(({ fn }) => fn.max('to_at').as('end'))
    .where('dataset', '=', 'feed')
    .where('unit', '<>', but)
    .where('end_snapshot', 'is', null)
    .executeTakeFirst()
  return row?.end ?? 0
}
