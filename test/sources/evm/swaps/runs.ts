import type { Activities } from '#activities/index.ts'
import { startWorkflow } from '#engine/embedded_workflow.ts'
import { until } from '#test/run/eventually.ts'
import { backfill, type Progress } from '#workflows/backfill.ts'
import { follow } from '#workflows/follow.ts'
import type { Following } from '#workflows/follow_state.ts'

const second = 1_000_000

/** A chain that is read, and the instant of its readers, in microseconds. */
export type ReadChain = { slug: string; now: () => number }

/** Reads all that is due from an instant on, as `tapeline backfill` does. */
export const runBackfill = (chain: ReadChain, activities: Activities, more: object = {}): Promise<Progress> =>
  startWorkflow(backfill, {
    args: [{ source: 'evm_swaps', from: 0, to: chain.now() + second, keys: [], ...more }],
    activities,
  }).result

/** Follows the chain for one round. Returns the reason of a failure. */
export async function followRound(
  chain: ReadChain,
  activities: Activities,
  source = 'evm_swaps',
  group = 'swaps',
): Promise<string | null> {
  const request = { group, part: chain.slug, sources: [source], from: 0 }
  const run = startWorkflow(follow, { args: [request], activities })
  const state = (): Following | undefined => run.query<[], Following>({ name: 'progress' })
  await until(() => (state()?.rounds ?? 0) > 0 || (state()?.failedRounds ?? 0) > 0)
  const fault = state()?.fault ?? null
  run.cancel()
  await run.result.catch(() => undefined)
  return fault
}
