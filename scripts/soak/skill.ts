import { parseArgs } from 'node:util'

import { roleBounds } from '#test/skill/roles/role_bounds.ts'
import { judgeRoles, type RoleVerdict } from '#test/skill/roles/role_judge.ts'
import { roleReport } from '#test/skill/roles/role_report.ts'

/**
 * `npm run soak -- skill [--seeds N] [--from SEED] [--scale S] [--slope S] [--no-ranks]`: scores N worlds of roles
 * (`sim/markets/roles/`) and compares what is published with their truth. Seeds 1 to 20 are for development, 101 to 120
 * are held back. It prints the figures and the bounds, and throws if a bound does not hold.
 */
export async function skill(args: readonly string[]): Promise<void> {
  const options = {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    scale: { type: 'string', default: '1' },
    slope: { type: 'string' },
    'no-ranks': { type: 'boolean', default: false },
  } as const
  const { values } = parseArgs({ args: [...args], options })
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
