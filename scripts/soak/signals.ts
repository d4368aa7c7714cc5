import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { poissonOf } from '#test/pipeline/signals/poisson.ts'
import { wilsonOf } from '#test/skill/hard_pool.ts'

import { judgeSignals, type Graded, type Judged } from './signals/judge.ts'

/**
 * `npm run soak -- signals [--seeds N] [--from SEED] [--scale S] [--hours H] [--every MINUTES]`: looks for signals in H
 * hours of N hard simulated worlds, and grades them (`judge.ts`). It prints the hit rates by type beside their
 * baselines, with n and 95 % intervals, and the rate of false signals an hour for 1,000 entities with its exact 95 %
 * interval. It throws if this interval does not lie below 1.
 */
export async function signals(args: readonly string[]): Promise<void> {
  const options = {
    seeds: { type: 'string', default: '2' },
    from: { type: 'string', default: '1' },
    scale: { type: 'string', default: '1' },
    hours: { type: 'string', default: '48' },
    every: { type: 'string', default: '15' },
  } as const
  const { values } = parseArgs({ args: [...args], options })
  const [scale, hours, every] = [Number(values.scale), Number(values.hours), Number(values.every)]
  const judged: Judged[] = []
  for (let seed = Number(values.from); seed < Number(values.from) + Number(values.seeds); seed++) {
    const home = await mkdtemp(join(tmpdir(), 'tapeline-signals-'))
    try {
      const one = await judgeSignals(home, { seed, scale, hours, every })
      console.log(JSON.stringify({ seed, ...one }))
      judged.push(one)
    } finally {
      await rm(home, { recursive: true })
    }
  }
  const graded = judged.flatMap((one) => one.graded)
  for (const type of new Set(graded.map((one) => one.type))) console.log(lineOf(type, graded))
  const n_false = judged.reduce((sum, one) => sum + one.n_false, 0)
  const exposure = judged.reduce((sum, { entity_hours }) => sum + entity_hours / 1_000, 0)
  const { lower, upper } = poissonOf(n_false)
  const [rate, low, high] = [n_false, lower, upper].map((n) => (n / exposure).toFixed(2))
  const found = `${n_false} false signals in ${exposure.toFixed(2)} hours of 1,000 entities, ${rate} an hour (${low} to ${high})`
  console.log(found)
  if (upper >= exposure) throw new Error(`signals: ${found}; expected an interval below 1`)
}

const lineOf = (type: string, graded: readonly Graded[]): string => {
  const own = graded.filter((one) => one.type === type)
  const share = { n: own.filter(({ is_hit }) => is_hit).length, of: own.length }
  const { lower, upper } = wilsonOf(share)
  const baseline = own.reduce((sum, one) => sum + one.baseline, 0) / own.length
  const [rate, low, high] = [share.n / share.of, lower, upper].map((one) => (100 * one).toFixed(1))
  return `${type}: ${share.n} of ${share.of} hits, ${rate} % (${low} to ${high}), baseline ${(100 * baseline).toFixed(1)} %`
}
