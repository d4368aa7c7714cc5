import { NotRunning, type Engine, type Run } from '#engine/engine.ts'
import { machineClock, type Micros } from '#time.ts'
import { follow, type FollowRequest } from '#workflows/follow.ts'
import { ingestRequested } from '#workflows/ingest_requested.ts'
import { maintain } from '#workflows/maintain.ts'
import { score } from '#workflows/score.ts'

/**
 * The lanes of a follow. Within one, sources are read one after the other, since each plans by what those before it
 * have stored; lanes go on side by side, so that neither histories nor a feed that is far behind hold up the odds.
 */
const lanes: Record<string, Pick<FollowRequest, 'sources' | 'isPublishing'>> = {
  'follow-histories': {
    sources: ['polymarket_markets', 'polymarket_resolutions', 'polymarket_trades', 'polymarket_activity'],
    isPublishing: false,
  },
  'follow-feed': { sources: ['polymarket_feed'], isPublishing: false },
  'follow-odds': { sources: ['polymarket_odds'], isPublishing: true },
}

/**
 * The sources that are followed, in an order in which they may be read one after the other. The list of all markets ever
 * on the exchange is not among them: the other one tells more, and it is there for backfills and as a fallback.
 */
export const followed: readonly string[] = Object.values(lanes).flatMap(({ sources }) => sources)

/** The source that accounts are read from which somebody asks for. */
const accountSource = 'polymarket_activity'

const days_30 = 30 * 86_400_000_000

/** From when on units are read: where `--from` does not say it, those that lived in the last 30 days. */
export const followedSince = (from: Micros | undefined): Micros => from ?? machineClock() - days_30

export type Pace = {
  /** Between two scorings, two rounds of tending the lake, and two looks for accounts that were asked for. */
  score_ms: number
  maintain_ms: number
  requested_ms: number
}

export const usualPace: Pace = { score_ms: 300_000, maintain_ms: 600_000, requested_ms: 15_000 }

/** Starts all that following is. What runs already goes on as it is. */
export async function startFollowing(engine: Engine, from: number, pace: Pace = usualPace): Promise<Run<never>[]> {
  const runs: Run<never>[] = []
  for (const [id, lane] of Object.entries(lanes)) {
    runs.push(await engine.start(follow, { id, args: [{ ...lane, from }], restartOnFailure: true }))
  }
  const request = { source: accountSource, pause_ms: pace.requested_ms }
  runs.push(await engine.start(ingestRequested, { id: 'requested', args: [request], restartOnFailure: true }))
  await engine.schedule(score, { id: 'score', every_ms: pace.score_ms, args: [{ asOf: null, isPulseToo: false }] })
  await engine.schedule(maintain, { id: 'maintain', every_ms: pace.maintain_ms, args: [] })
  return runs
}

/** Ends all that following is. Returns what was running. */
export async function stopFollowing(engine: Engine): Promise<string[]> {
  for (const id of ['score', 'maintain']) await engine.unschedule(id)
  const ended: string[] = []
  for (const id of [...Object.keys(lanes), 'requested']) {
    try {
      await (await engine.find(id)).cancel()
      ended.push(id)
    } catch (error) {
      if (!(error instanceof NotRunning)) throw error
    }
  }
  return ended
}
