import { evmArchetypes, type Actor, type EvmArchetype, type Role } from '#sim/evm/types.ts'

/** The wallets of each role in a world of size 1, and the fewest of a small world. */
const counts: Record<
  Exclude<Role, 'team' | 'bundler' | 'whale' | 'newcomer'>,
  readonly [most: number, least: number]
> = {
  arbitrageur: [2, 1],
  sniper: [3, 1],
  fade_target: [3, 1],
  scalper: [3, 1],
  swing_trader: [4, 2],
  diamond_hands: [3, 1],
  accumulator: [3, 1],
  dormant: [3, 1],
  generalist: [5, 2],
  vault: [1, 1],
  wash: [1, 1],
  sandwich: [1, 1],
  bot: [1, 0],
  crowd: [230, 24],
}

/** Wallets that send their first transaction in the last week. They come last, so that others keep their numbers. */
const n_newcomers = 3

const tags: Partial<Record<Role, readonly string[]>> = {
  whale: ['whale'],
  wash: ['wash_like'],
  sandwich: ['sandwich_like'],
  bot: ['high_frequency', 'bot_like'],
  newcomer: ['fresh_wallet'],
}

/**
 * The wallets of a world. The first is the team, which deploys the tokens and sells its own; the second is the bundler.
 * A whale is one of the top 1 % of wallets, so a small world has none. The last two generalists are smart accounts.
 */
export function createActors(size: number): Actor[] {
  const actors: Actor[] = []
  const add = (role: Role, isAccount = false): void => {
    const index = actors.length
    actors.push({ index, role, archetype: isArchetype(role) ? role : null, tags: tags[role] ?? [], isAccount })
  }
  add('team')
  add('bundler')
  const others = Object.entries(counts) as [keyof typeof counts, readonly [number, number]][]
  for (const [role, [most, least]] of others) {
    const number = Math.max(least, Math.round(most * size))
    for (let n = 0; n < number; n++) add(role, role === 'generalist' && n >= number - 2 && number > 2)
  }
  // Wallets with a trade are somewhat fewer than all, so the last one hundred is not counted.
  const n_whales = Math.max(0, Math.floor(actors.length / 100))
  for (let n = 0; n < n_whales; n++) add('whale')
  for (let n = 0; n < Math.max(1, Math.round(n_newcomers * size)); n++) add('newcomer')
  return actors
}

const isArchetype = (role: Role): role is EvmArchetype => (evmArchetypes as readonly string[]).includes(role)
