import { parseArgs } from 'node:util'

import { settleBefore } from '#test/skill/planted_closes.ts'
import { roleBounds } from '#test/skill/roles/role_bounds.ts'
import { judgeRoles, type RoleVerdict } from '#test/skill/roles/role_judge.ts'
import { roleReport } from '#test/skill/roles/role_report.ts'

/**
 * `npm run soak -- skill [--seeds N] [--from SEED] [--scale S] [--slope S] [--no-ranks]`: scores N worlds of roles
 * (`sim/markets/roles/`) and compares what is published with their truth. Seeds 1 to 20 are for development, 114 to 120
 * are held back. It prints the figures and the bounds, and throws if a bound does not hold.
 *
 * `--guards N` scores N smaller worlds with slopes from 0.94 to 1, and two whose closes are payouts. It throws if a
 * world of the first is without scores, or one of the second with them.
 */
export async function skill(args: readonly string[]): Promise<void> {
  const options = {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    scale: { type: 'string', default: '1' },
    slope: { type: 'string' },
    'no-ranks': { type: 'boolean', default: false },
    guards: { type: 'string' },
  } as const
  const { values } = parseArgs({ args: [...args], options })
  if (values.guards !== undefined) return guards(Number(values.guards))
  const [n_seeds, from] = [Number(values.seeds), Number(values.from)]
  if (!(n_seeds >= 2)) throw new Error(`--seeds ${values.seeds}: too few to compare worlds; expected at least 2`)
  const verdicts: RoleVerdict[] = []
  for (let seed = from; seed < from + n_seeds; seed++) {
    const slope = values.slope === undefined ? {} : { slope: Number(values.slope) }
    const hasRanks = !values['no-ranks']
    verdicts.push(await judgeRoles({ seed, scale: Number(values.scale), hasRanks, ...slope }))
    console.log(`seed ${seed} is scored`)
  }
  for (const line of roleReport(verdicts)) console.log(line)
  const broken = roleBounds(verdicts).filter(({ breaches }) => breaches.length > 0)
  if (broken.length > 0) throw new Error(`outside of their bounds: ${broken.map(({ name }) => name).join('; ')}`)
}

/** Large enough for the guards, which say nothing of fewer than 200 markets. */
const guardScale = 0.6

async function guards(n_worlds: number): Promise<void> {
  if (!(n_worlds >= 2)) throw new Error(`--guards ${n_worlds}: too few slopes; expected at least 2`)
  const settings = { scale: guardScale, hasRanks: false }
  const wrong: string[] = []
  for (let i = 0; i < n_worlds; i++) {
    const slope = 0.94 + (0.06 * i) / (n_worlds - 1)
    const verdict = await judgeRoles({ ...settings, seed: 201 + i, slope })
    console.log(`slope ${slope.toFixed(3)}: ${listed(verdict)}`)
    if (verdict.scored[0]?.n === 0) wrong.push(`slope ${slope.toFixed(3)} is without scores`)
  }
  for (const seed of [201, 202]) {
    const verdict = await judgeRoles({ ...settings, seed, tamper: settleBefore })
    console.log(`closes that are payouts: ${listed(verdict)}`)
    if (verdict.scored[0]?.n !== 0) wrong.push(`seed ${seed} has scores by closes that are payouts`)
  }
  if (wrong.length > 0) throw new Error(wrong.join('; '))
}

const listed = ({ scored, brokenGuards }: RoleVerdict): string =>
  `${scored[0]?.n} of ${scored[0]?.of} listed traders have a score; guards that do not hold: ${brokenGuards.join(', ') || 'none'}`
