import { ok } from 'node:assert'
import { parseArgs } from 'node:util'

import { betweenWorlds, kinds, pooled, validateWorld, type Figures, type Validated } from '#test/skill/validated.ts'
import { estimateOf, meanOf, type Estimate, type Sampled } from '#validation/bootstrap.ts'
import { LEAST_TRADERS } from '#validation/report.ts'
import { nameOf, rivals, scores } from '#validation/scores.ts'

/**
 * `npm run soak -- validate [--seeds N] [--from SEED] [--scale S] [--world easy|hard]`: compares ranks as of a day with
 * later results, in N simulated worlds, for the whole list and for each kind of closing line value alone. In easy
 * worlds closing line value must predict payouts better than raw PnL; in hard worlds the figures are printed, whatever
 * they are.
 */
export async function validate(args: readonly string[]): Promise<void> {
  const options = {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    scale: { type: 'string', default: '0.5' },
    world: { type: 'string', default: 'hard' },
  } as const
  const { values } = parseArgs({ args: [...args], options })
  const n_seeds = Number(values.seeds)
  if (!(n_seeds >= 2)) throw new Error(`--seeds ${values.seeds}: too few to compare worlds; expected at least 2`)
  const worlds: Validated[] = []
  const first = Number(values.from)
  for (let seed = first; seed < first + n_seeds; seed++) {
    const world = await validateWorld(seed, Number(values.scale), values.world === 'hard')
    worlds.push(world)
    const reported = figures.slice(0, 3).map(([name, of]) => `${name} ${shown(estimateOf(of(world.measured)))}`)
    console.log(`seed ${seed}, ${world.traders.length} traders: ${reported.join(', ')}`)
  }
  for (const [name, of] of figures) {
    console.log(`${name}: pooled ${shown(pooled(worlds, of))}, between worlds ${shown(betweenWorlds(worlds, of))}`)
  }
  for (const kind of kinds) reportKind(kind, worlds)
  if (values.world === 'hard') return
  for (const [name, of] of figures.slice(0, 1)) {
    ok(pooled(worlds, of).lower > 0, `${name}: the pooled interval is not above zero`)
    ok(betweenWorlds(worlds, of).lower > 0, `${name}: the interval between worlds is not above zero`)
  }
}

/** Prints the figures of the traders of one kind, over the worlds with enough of them. */
function reportKind(kind: (typeof kinds)[number], worlds: readonly Validated[]): void {
  const own = worlds.map((world) => world.kinds[kind]).filter(({ n_traders }) => n_traders >= LEAST_TRADERS)
  const n_traders = own.reduce((sum, one) => sum + one.n_traders, 0)
  console.log(`${kind}: ${n_traders} traders of ${own.length} worlds with at least ${LEAST_TRADERS}`)
  if (own.length === 0) return
  for (const [name, of] of figures) {
    const sampled = meanOf(own.map(({ measured }) => of(measured)))
    console.log(`${kind}, ${name}: ${Number.isNaN(sampled.value) ? '-' : shown(estimateOf(sampled))}`)
  }
}

type Figure = [string, (measured: Figures) => Sampled]

const figures: Figure[] = [
  ['payout edge, Spearman, CLV - PnL', ({ payout }) => payout.spearman.clv_minus_pnl],
  ['payout edge, Spearman, CLV - win rate', ({ payout }) => payout.spearman.clv_minus_win_rate],
  ...scores.map((score): Figure => [`payout edge, Spearman, ${nameOf[score]}`, ({ payout }) => payout.spearman[score]]),
  ...scores.map((score): Figure => [`realized CLV, Spearman, ${nameOf[score]}`, ({ clv }) => clv.spearman[score]]),
  ...scores.map((score): Figure => [
    `payout edge, top decile, ${nameOf[score]}`,
    ({ payout }) => payout.top_decile[score],
  ]),
  ...rivals.map((rival): Figure => [
    `payout edge, Spearman, CLV - ${nameOf[rival]}`,
    ({ payout }) => payout.spearman[`clv_minus_${rival}`],
  ]),
]

const shown = (estimate: Estimate | null): string =>
  estimate === null ? '-' : `${estimate.value.toFixed(3)} [${estimate.lower.toFixed(3)}, ${estimate.upper.toFixed(3)}]`
