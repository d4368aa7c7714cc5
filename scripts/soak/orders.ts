import { parseArgs } from 'node:util'

import { ordersOf } from '#test/skill/orders.ts'

/**
 * `npm run soak -- orders [--seeds N] [--from SEED] [--scale S]`: compares orders of traders in N hard simulated worlds
 * with what was planted, and prints the mean of each figure over the worlds. It throws if another order than
 * `clv_score` has the better rank correlation among takers or among makers.
 */
export async function orders(args: readonly string[]): Promise<void> {
  const options = {
    seeds: { type: 'string', default: '4' },
    from: { type: 'string', default: '301' },
    scale: { type: 'string', default: '1' },
  } as const
  const { values } = parseArgs({ args: [...args], options })
  const [n_seeds, from] = [Number(values.seeds), Number(values.from)]
  const sums = new Map<string, number[]>()
  for (let seed = from; seed < from + n_seeds; seed++) {
    for (const { name, value } of await ordersOf(seed, Number(values.scale)))
      sums.set(name, [...(sums.get(name) ?? []), value])
    console.log(`seed ${seed} is scored`)
  }
  const means = new Map(
    [...sums].map(([name, list]) => [name, list.reduce((sum, value) => sum + value, 0) / list.length]),
  )
  for (const [name, mean] of means) console.log(`${name}: ${mean.toFixed(3)}`)
  for (const who of ['takers', 'makers']) {
    const prefix = `correlation, ${who}, `
    const own = means.get(`${prefix}clv_score`) ?? Number.NaN
    const better = [...means].filter(([name, mean]) => name.startsWith(prefix) && mean > own).map(([name]) => name)
    if (better.length > 0) throw new Error(`${who}: ${better.join('; ')}; expected clv_score to be the best order`)
  }
}
