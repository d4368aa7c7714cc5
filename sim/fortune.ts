import { mix } from './random.ts'

/** Hundredths of the usual wealth. Most wallets have less than the usual one, a few have a multiple of it. */
const steps = [10, 15, 25, 35, 50, 70, 100, 160, 300, 600]

/** What a fortune of one is, as a divisor. */
export const usual = 10_000n

/**
 * The wealth of a wallet of a lifelike world, in ten-thousandths of the usual one: 0.1 to 7.8, no two alike. Different
 * keys give independent fortunes.
 */
export function fortuneOf(key: number, index: number): bigint {
  const draw = mix(mix(key, 31), index)
  const step = steps[draw % steps.length] ?? 100
  return BigInt(100 * step + (mix(draw, 7) % (30 * step)))
}
