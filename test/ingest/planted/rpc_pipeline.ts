import { setTimeout as sleep } from 'node:timers/promises'

import { createActivities, type Activities } from '#activities/index.ts'
import { startWorkflow } from '#engine/embedded_workflow.ts'
import { createHttp } from '#ingest/http/http.ts'
import type { Lake } from '#lake/lake.ts'
import { tinyTools } from '#test/ingest/tiny.ts'
import { until } from '#test/run/eventually.ts'
import type { Clock } from '#time.ts'
import { backfill, type Progress } from '#workflows/backfill.ts'
import { follow } from '#workflows/follow.ts'
import type { Following } from '#workflows/follow_state.ts'

import { chainHost, chainName, plantedLogs } from './planted_logs.ts'

const source = 'planted_logs'

/** The activities over the planted chains of a server. */
export function chainActivities(
  lake: Lake,
  { url, n_chains, clock }: { url: string; n_chains: number; clock: Clock },
): Activities {
  const hosts = Object.fromEntries(
    Array.from({ length: n_chains }, (_, n) => [chainName(n), { ...chainHost(n), url: `${url}/${n}` }]),
  )
  const timers = { now_ms: Date.now, sleep: (ms: number) => sleep(Math.min(ms, 5)) }
  const http = createHttp({ hosts, random: Math.random, ...timers })
  const planted = plantedLogs(n_chains)
  return createActivities({ ...tinyTools(lake, planted, 0), hosts, http, timers, clock, concurrency: 8 })
}

/** Reads all that is due of all chains, as `tapeline backfill` does. */
export const runBackfill = (activities: Activities, at: number): Promise<Progress> =>
  startWorkflow(backfill, { args: [{ source, from: 0, to: at, keys: [] }], activities }).result

/** Follows all chains at once until each has been read as of an instant, or has failed. Returns the failures. */
export async function followRound(activities: Activities, at: number, n_chains: number): Promise<string[]> {
  const runs = Array.from({ length: n_chains }, (_, n) => {
    const of = { group: 'planted', part: chainName(n), sources: [source], from: at }
    const run = startWorkflow(follow, { args: [of], activities })
    return { state: () => run.query<[], Following>({ name: 'progress' }), run }
  })
  const isRead = (state: Following | undefined): boolean =>
    state !== undefined && ((state.reached[source] ?? 0) >= at || state.failedRounds > 0)
  await until(() => runs.every(({ state }) => isRead(state())))
  const failures = runs.flatMap(({ state }) => state()?.fault ?? [])
  for (const { run } of runs) run.cancel()
  await Promise.allSettled(runs.map(({ run }) => run.result))
  return failures
}
