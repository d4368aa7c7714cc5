import { ok } from 'node:assert'
import { parseArgs } from 'node:util'

import { betweenWorlds, pooled, validateWorld, type Validated } from '#test/skill/validated.ts'
import { estimateOf, type Estimate, type Sampled } from '#validation/bootstrap.ts'
import type { Measured } from '#validation/measures.ts'

/**
 * `npm run soak -- validate [--seeds N] [--scale S]`: compares ranks as of a day with later results, in N simulated
 * worlds. Closing line value must predict them better than raw PnL and raw win rate.
 */
export async function validate(args: readonly string[]): Promise<void> {
  const options = { seeds: { type: 'string', default: '20' }, scale: { type: 'string', default: '0.5' } } as const
  const { values } = parseArgs({ args: [...args], options })
  const n_seeds = Number(values.seeds)
  if (!(n_seeds >= 2)) throw new Error(`--seeds ${values.seeds}: too few to compare worlds; expected at least 2`)
  const worlds: Validated[] = []
  for (let seed = 1; seed <= n_seeds; seed++) {
    const world = await validateWorld(seed, Number(values.scale))
    worlds.push(world)
    const reported = figures.map(([name, of]) => `${name} ${shown(estimateOf(of(world.measured)))}`)
    console.log(`seed ${seed}, ${world.traders.length} traders: ${reported.join(', ')}`)
  }
  for (const [name, of] of figures) {
    console.log(`${name}: pooled ${shown(pooled(worlds, of))}, between worlds ${shown(betweenWorlds(worlds, of))}`)
  }
  for (const [name, of] of figures.slice(0, 2)) {
    ok(pooled(worlds, of).lower > 0, `${name}: the pooled interval is not above zero`)
    ok(betweenWorlds(worlds, of).lower > 0, `${name}: the interval between worlds is not above zero`)
  }
}

const figures: [string, (measured: Measured) => Sampled][] = [
  ['Spearman, CLV - PnL', ({ spearman }) => spearman.clv_minus_pnl],
  ['Spearman, CLV - win rate', ({ spearman }) => spearman.clv_minus_win_rate],
  ['Spearman, CLV', ({ spearman }) => spearman.clv],
  ['top decile ROI, CLV', ({ top_decile_roi }) => top_decile_roi.clv],
  ['top decile ROI, CLV - PnL', ({ top_decile_roi }) => top_decile_roi.clv_minus_pnl],
  ['top decile ROI, CLV - win rate', ({ top_decile_roi }) => top_decile_roi.clv_minus_win_rate],
]

const shown = (estimate: Estimate | null): string =>
  estimate === null ? '-' : `${estimate.value.toFixed(3)} [${estimate.lower.toFixed(3)}, ${estimate.upper.toFixed(3)}]`
