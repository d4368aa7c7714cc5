import type { PlannedToken } from '#sim/evm/types.ts'
import { createRandom } from '#sim/random.ts'

/**
 * The tokens with deep pools, in which whales trade, those with thin ones, and those that are launched in the world.
 */
export type TokenCounts = { deep: number; thin: number; launched: number }

/** The rules of archetypes ask for up to twenty tokens; a small world has fewer. */
export const countTokens = (size: number): TokenCounts => ({
  deep: size < 1 ? 2 : 6,
  thin: Math.max(5, Math.round(22 * Math.min(1, size))),
  launched: Math.max(3, Math.round(12 * Math.min(1, size))),
})

/** Dollars on each side of a pool. */
const depth_usd = { deep: 8_000_000, thin: 80_000, launched: 30_000 }

const day_s = 86_400

/** The tokens of a world between two instants. Launches spread over all but the first and the last weeks. */
export function createTokens(
  seed: number,
  { deep, thin, launched }: TokenCounts,
  { start_s, now_s }: { start_s: number; now_s: number },
): PlannedToken[] {
  const random = createRandom(seed, 11)
  const first_s = start_s + 20 * day_s
  const between_s = (now_s - 10 * day_s - first_s) / launched
  return Array.from({ length: deep + thin + launched }, (_, index) => {
    const kind = index < deep ? 'deep' : index < deep + thin ? 'thin' : 'launched'
    const n = index - deep - thin
    return {
      index,
      kind,
      symbol: `${letters(random.below(26 ** 3))}${index}`,
      price_usd: Math.round(100 * random.between(0.4, 30)) / 100,
      depth_usd: depth_usd[kind],
      hasV4: kind === 'thin' && index % 3 === 0,
      launched_s: kind === 'launched' ? Math.floor(first_s + between_s * (n + random.next() * 0.6)) : null,
    }
  })
}

const letters = (value: number): string =>
  [676, 26, 1].map((placeValue) => String.fromCodePoint(65 + (Math.floor(value / placeValue) % 26))).join('')
