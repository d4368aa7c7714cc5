import { setTimeout as sleep } from 'node:timers/promises'

import { createHttp } from '#activities/http/http.ts'
import { createActivities, type Activities } from '#activities/index.ts'
import { startWorkflow } from '#engine/embedded_workflow.ts'
import type { Lake } from '#lake/lake.ts'
import { tinyTools } from '#test/activities/tiny.ts'
import type { Clock } from '#time.ts'
import { backfill, type Progress } from '#workflows/backfill.ts'

import { chainHost, chainName, plantedLogs } from './planted_logs.ts'

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
  const source = plantedLogs(n_chains)
  return createActivities({ ...tinyTools(lake, source, 0), hosts, http, timers, clock, concurrency: 8 })
}

/** Reads all that is due of all chains, as `tapeline backfill` does. */
export const runBackfill = (activities: Activities, at: number): Promise<Progress> =>
  startWorkflow(backfill, { args: [{ source: 'planted_logs', from: 0, to: at, keys: [] }], activities }).result

/** A round of the follow of each chain: one that fails stops no other. Returns why the others failed. */
export async function followRound(activities: Activities, at: number, n_chains: number): Promise<string[]> {
  const chains = Array.from({ length: n_chains }, (_, n) => chainName(n))
  const failures: string[] = []
  const follow = async (part: string): Promise<void> => {
    const request = { source: 'planted_logs', part, at, from: at, to: at, keys: [], includeOpen: true }
    const { units } = await activities.plan({ ...request, after: '', limit: 1_000 })
    const tally = await activities.pull({ units, at, rate: null })
    failures.push(...tally.failures.map(({ unit, reason }) => `${unit}: ${reason}`))
  }
  const work = async (): Promise<void> => {
    for (let part = chains.shift(); part !== undefined; part = chains.shift())
      await follow(part).catch((error: unknown) => void failures.push(`${part}: ${String(error)}`))
  }
  await Promise.all(Array.from({ length: 16 }, work))
  return failures
}
