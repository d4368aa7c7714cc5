import { parseArgs } from 'node:util'

import { boundsOf } from '#test/skill/hard_bounds.ts'
import { judgeHard, type HardVerdict, type Shares } from '#test/skill/hard_judge.ts'
import { biasesOf, poolOf, totalOf, wilsonOf, type Share } from '#test/skill/hard_pool.ts'

/**
 * `npm run soak -- hard [--seeds N] [--from SEED] [--scale S] [--backfilled]`: scores N hard simulated worlds. It
 * prints the rates of false and of found `sharp` traders, of intervals that hold the planted value, and of found wash
 * trades. It also prints the bias of edges, and the guards that do not hold. `--backfilled` leaves out the recorded
 * books, as in a lake that was filled afterwards. It throws if a figure is outside of its bound.
 */
export async function hard(args: readonly string[]): Promise<void> {
  const options = {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    scale: { type: 'string', default: '1' },
    backfilled: { type: 'boolean', default: false },
  } as const
  const { values } = parseArgs({ args: [...args], options })
  const [n_seeds, from] = [Number(values.seeds), Number(values.from)]
  if (!(n_seeds >= 2)) throw new Error(`--seeds ${values.seeds}: too few to compare worlds; expected at least 2`)
  const verdicts: HardVerdict[] = []
  for (let seed = from; seed < from + n_seeds; seed++) {
    verdicts.push(await judgeHard(seed, Number(values.scale), { isBackfilled: values.backfilled }))
    console.log(`seed ${seed} is scored`)
  }
  const pool = (of: (verdict: HardVerdict) => Shares): Map<string, Share> => poolOf(verdicts, of)
  print('false sharps', totalOf(pool(({ falseSharps }) => falseSharps)))
  print('power from 3 points on', totalOf(pool(({ power }) => power)))
  for (const [name, share] of pool(({ washes }) => washes)) print(`wash ${name}`, share)
  for (const [name, share] of [...pool(({ covered }) => covered)].toSorted(byName)) print(`covered, ${name}`, share)
  const biases = [...biasesOf(verdicts, (each) => each.biases), ...biasesOf(verdicts, (each) => each.kindBiases)]
  for (const { name, n_worlds, mean, se } of biases) {
    const z = (mean / se).toFixed(1)
    console.log(`edge - planted, ${name}: ${mean.toFixed(3)} (se ${se.toFixed(3)}, z ${z}, ${n_worlds} worlds)`)
  }
  const guards = verdicts.flatMap((verdict) => verdict.guards)
  for (const { kind, state } of guards.filter(({ is_held }) => is_held !== true))
    console.log(`of ${guards.length} guards one is ${state}: ${kind}`)
  const breaches = boundsOf(verdicts).flatMap(({ name, breaches: of }) => of.map((breach) => `${name}, ${breach}`))
  if (breaches.length > 0) throw new Error(`outside of their bounds: ${breaches.join('; ')}`)
}

const byName = ([a]: [string, Share], [b]: [string, Share]): number => (a < b ? -1 : 1)

function print(name: string, share: Share): void {
  const { lower, upper } = wilsonOf(share)
  const figure = (share.n / share.of).toFixed(3)
  console.log(`${name}: ${share.n} of ${share.of}, ${figure} [${lower.toFixed(3)}, ${upper.toFixed(3)}]`)
}
