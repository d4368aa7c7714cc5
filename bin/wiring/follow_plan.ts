import { UsageError } from '#bin/command_line/values.ts'
import type { Engine, Run } from '#engine/engine.ts'
import type { Source } from '#ingest/source.ts'
import { accountSources } from '#registry/venues/index.ts'
import { sources as allSources } from '#sources/index.ts'
import { machineClock, type Micros } from '#time.ts'
import { follow } from '#workflows/follow.ts'
import type { FollowRequest } from '#workflows/follow_state.ts'
import { ingestRequested } from '#workflows/ingest_requested.ts'
import { maintain } from '#workflows/maintain.ts'

import { cancelRun } from './home_runs.ts'

/**
 * The followed sources of venues that have a past, in the order of the list of sources. Streams have none, and chains
 * are read only where the environment names them.
 */
export const followed: readonly string[] = allSources
  .filter(({ follow: how, kind }) => how !== null && kind !== 'stream')
  .filter(({ parts }) => parts.every(({ chain }) => chain === undefined))
  .map(({ name }) => name)

/**
 * The sources that read requested accounts, as far as they are read: on which venue an address traded is not known
 * before. Each is asked about its own kind of addresses alone.
 */
const requestedSources = [...accountSources, 'solana_accounts', 'evm_accounts']

const days_30 = 30 * 86_400_000_000

/** The instant from which units are read; by default 30 days ago. Throws for one that is not yet reached. */
export function followedSince(from: Micros | undefined): Micros {
  const now = machineClock()
  if (from !== undefined && from > now) throw new UsageError('--from: in the future; expected an earlier instant')
  return from ?? now - days_30
}

type FollowPlan = Map<string, Omit<FollowRequest, 'from'>>

/** One follow for each part of each group, by its id. A stream is alone in its group. */
export function followPlan(sources: readonly Source[]): FollowPlan {
  const plan: FollowPlan = new Map()
  for (const { name, parts, kind, follow: how } of sources) {
    if (how === null) continue
    for (const { name: part } of parts) {
      const id = `follow-${part}-${how.group}`
      const { sources: before = [], isStream } = plan.get(id) ?? {}
      if (before.length > 0 && (kind === 'stream' || isStream === true)) {
        throw new Error(`${name}: its group ${how.group} has a stream; expected a separate group for each stream`)
      }
      plan.set(id, {
        group: how.group,
        part,
        sources: [...before, name],
        ...(kind === 'stream' ? { isStream: true } : {}),
      })
    }
  }
  return plan
}

/** The run of a follow that reads requested accounts. Every follow has it. */
export const requestedId = 'requested'

/** Milliseconds between two rounds of recurring work. */
export type Pace = {
  maintain_ms: number
  /** Between two polls for requested accounts. */
  requested_ms: number
}

export const usualPace: Pace = { maintain_ms: 600_000, requested_ms: 15_000 }

const labelsOf = ({ part, group, sources }: Omit<FollowRequest, 'from'>): Record<string, string> => ({
  part,
  group,
  sources: sources.join(),
  ...(sources.length === 1 ? { source: sources.join() } : {}),
})

/**
 * Starts all runs and schedules of a follow. Runs that exist continue unchanged. Without a server it throws
 * `AlreadyRunning` if another process of the home follows.
 */
export async function startFollowing(
  engine: Engine,
  from: number,
  pace: Pace = usualPace,
  sources: readonly Source[] = allSources,
): Promise<Run<never>[]> {
  const [first = '', ...others] = requestedSources
  const also = others.filter((name) => sources.some((source) => source.name === name))
  const reading = { source: first, also, pause_ms: pace.requested_ms, isQueued: true }
  // Every follow has this run. It comes first, so that of two at once one begins all and the other one none.
  const requested = await engine.start(ingestRequested, { id: requestedId, args: [reading], restartOnFailure: true })
  const follows = [...followPlan(sources)].map(([id, request]) =>
    engine.start(follow, { id, args: [{ ...request, from }], labels: labelsOf(request), restartOnFailure: true }),
  )
  const runs = [...(await Promise.all(follows)), requested]
  await engine.schedule(maintain, { id: 'maintain', every_ms: pace.maintain_ms, args: [] })
  return runs
}

/** Ends all runs and schedules of a follow. Returns the ids of the runs that were running. */
export async function stopFollowing(engine: Engine, sources: readonly Source[] = allSources): Promise<string[]> {
  await engine.unschedule('maintain')
  const ended = await Promise.all([...followPlan(sources).keys(), requestedId].map((id) => cancelRun(engine, id)))
  return ended.filter((id) => id !== undefined)
}
