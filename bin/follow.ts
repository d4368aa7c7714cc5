import { setTimeout as sleep } from 'node:timers/promises'

import { z } from 'zod'

import { dropWanted, listWanted, want } from '#accounts/wanted.ts'
import { startWorkflow } from '#engine/embedded.ts'
import { machineClock } from '#lake/clock.ts'
import type { Lake } from '#lake/lake.ts'
import { ingest } from '#workflows/ingest.ts'
import { backfill } from '#workflows/backfill.ts'
import { score } from '#workflows/score.ts'

import type { House } from './house.ts'
import { exposeSources } from './metrics.ts'
import type { Service } from './service.ts'

/**
 * The sources that are followed, in the order in which they build on each other. The list of all markets ever on the
 * exchange is not among them: the other one tells more, and it is there for backfills and as a fallback.
 */
export const followed = ['polymarket_markets', 'polymarket_resolutions', 'polymarket_trades', 'polymarket_activity']

/** The source that accounts are read from which somebody asks for. */
const accountSource = 'polymarket_activity'

export type FollowOptions = {
  /** Units that lived from this instant on are read. */
  from: number
  to: () => number
  signal: AbortSignal
  /** Pause between two rounds of each loop. */
  pause_ms: number
}

/**
 * Follows the world by backfills in a loop, rebuilds the marts, and reads accounts that were asked for over the API.
 * The three go on side by side: a long backfill holds up neither the others nor the service.
 */
export async function follow(house: House, service: Service, options: FollowOptions): Promise<void> {
  const expose = exposeSources(service.registry, house.lake)
  await Promise.all([
    repeat(options, service, 'ingest', async () => {
      await ingestOnce(house, options)
      await expose()
    }),
    repeat(
      options,
      service,
      'score',
      () => startWorkflow(score, { args: [null], activities: house.activities }).result,
    ),
    repeat(options, service, 'wanted accounts', () => pullWanted(house, service, options)),
  ])
}

/** One round of all followed sources. */
const ingestOnce = ({ activities }: House, { from, to }: Pick<FollowOptions, 'from' | 'to'>): Promise<unknown> =>
  startWorkflow(ingest, { args: [{ sources: followed, from, to: to() }], activities }).result

/**
 * Reads the accounts that were asked for. Those that could not be read wait on, behind the others, so that a hundred of
 * them hold up nobody.
 */
export async function pullWanted(
  { activities, lake }: Pick<House, 'activities' | 'lake'>,
  { accounts }: Pick<Service, 'accounts'>,
  { to }: Pick<FollowOptions, 'to'>,
): Promise<void> {
  const keys = (await listWanted(accounts)).map(({ address }) => address)
  if (keys.length === 0) return
  const request = { source: accountSource, from: 0, to: to(), keys }
  await startWorkflow(backfill, { args: [request], activities }).result
  const stored = await storedKeys(lake, keys)
  await dropWanted(accounts, keys)
  const left = keys.filter((key) => !stored.has(key))
  if (left.length > 0) await want(accounts, { addresses: left, now: machineClock() })
}

/** Of these accounts the ones that coverage knows as more than missing. */
async function storedKeys(lake: Lake, keys: readonly string[]): Promise<Set<string>> {
  const rows = await lake.read(({ query }) =>
    query(
      `select distinct key from lake.coverage where source = $source and state <> 'missing'
         and key in (select unnest(string_split($keys, ',')))`,
      z.object({ key: z.string() }),
      { source: accountSource, keys: keys.join() },
    ),
  )
  return new Set(rows.map(({ key }) => key))
}

/** Runs `round` again and again. A round that fails is logged, and the next one is another try. */
async function repeat(
  { signal, pause_ms }: FollowOptions,
  { log }: Service,
  name: string,
  round: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    await round().catch((error: unknown) => {
      if (!signal.aborted) log.error({ err: error }, `${name} failed; it is tried again`)
    })
    await sleep(pause_ms, undefined, { signal }).catch(() => undefined)
  }
}
