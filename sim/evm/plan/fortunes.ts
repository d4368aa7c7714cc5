import { coinsToOpen } from '#sim/evm/contracts/setup.ts'
import type { Actor, EvmPlan } from '#sim/evm/types.ts'
import { fortuneOf, usual } from '#sim/fortune.ts'

/** The dollars of a wallet of a lifelike world. All but those of the crowd need enough for their planned trades. */
export const dollarsOf = (seed: number, { index, role }: Actor): number =>
  (role === 'crowd' ? 0 : 12_000) + (30_000 * Number(fortuneOf(seed, index))) / Number(usual)

/** The native coins of an account of a lifelike world before the first block. */
export function coinsOf({ seed, actors, tokens }: EvmPlan, { index, role }: Actor): number {
  if (role === 'team') return coinsToOpen(tokens)
  // The bundler deposits 50 for each smart account.
  if (role === 'bundler') return 50 * actors.filter(({ isAccount }) => isAccount).length + 5
  return 2 + (8 * Number(fortuneOf(seed + 1, index))) / Number(usual)
}
