import type { Actor, PlannedToken, Role } from '#sim/evm/types.ts'
import { createRandom } from '#sim/random.ts'

import { shuffled, type Setting } from './strategies.ts'
import { addTrip, slot_s, type Diary } from './trips.ts'

const hour_s = 3_600
const day_s = 86_400

const ofRole = (actors: readonly Actor[], role: Role): Actor[] => actors.filter((actor) => actor.role === role)
const thinTokens = (tokens: readonly PlannedToken[]): PlannedToken[] => tokens.filter(({ kind }) => kind === 'thin')

/** Launches: the team opens a pool, snipers buy seconds later and sell within the hour, the crowd follows. */
export function addLaunches(diary: Diary, actors: readonly Actor[], { seed, tokens }: Setting): void {
  const crowd = ofRole(actors, 'crowd')
  for (const { index: token, launched_s } of tokens) {
    if (launched_s === null) continue
    const random = createRandom(seed, 31, token)
    diary.add(launched_s, { kind: 'launch', token })
    for (const { index: actor } of ofRole(actors, 'sniper')) {
      const bought_s = launched_s + slot_s * (1 + random.below(3))
      const sold_s = launched_s + random.between(500, 2_500)
      addTrip(diary, {
        actor,
        token,
        usd: random.between(200, 700),
        bought_s,
        sold_s,
        quote: 'native',
        routes: ['v2', 'v2'],
      })
    }
    for (const { index: actor } of shuffled(random, crowd).slice(0, 4)) {
      const usd = random.between(150, 900)
      diary.add(launched_s + random.between(120, 450), {
        kind: 'swap',
        actor,
        from: 'native',
        to: token,
        route: 'v2',
        usd,
      })
    }
  }
}

/** Adds trades of whales: the deep tokens, in amounts that no other wallet has. */
export function addWhales(diary: Diary, actors: readonly Actor[], { seed, now_s, tokens }: Setting): void {
  const n_deep = tokens.filter(({ kind }) => kind === 'deep').length
  for (const { index: actor } of ofRole(actors, 'whale')) {
    const random = createRandom(seed, 32, actor)
    for (let n = 0; n < 10; n++) {
      const sold_s = now_s - random.between(1, 45) * day_s
      const bought_s = sold_s - random.between(9, 38) * day_s
      const trip = { actor, token: n % n_deep, usd: random.between(70_000, 130_000), bought_s, sold_s }
      addTrip(diary, { ...trip, routes: [random.pick(['v3', 'split'] as const), 'v3'] })
    }
  }
}

/** Wallets that trade against themselves, around others, or all day. */
export function addAbuse(diary: Diary, actors: readonly Actor[], { seed, now_s, tokens }: Setting): void {
  const random = createRandom(seed, 33)
  const crowd = ofRole(actors, 'crowd')
  const n_deep = tokens.filter(({ kind }) => kind === 'deep').length
  for (const { index: actor } of ofRole(actors, 'wash')) {
    for (let n = 0; n < 13; n++) {
      const bought_s = now_s - random.between(2, 70) * day_s
      const token = random.pick(thinTokens(tokens)).index
      addTrip(diary, { actor, token, usd: 800, bought_s, sold_s: bought_s + 2 * slot_s, routes: ['v2', 'v2'] })
    }
  }
  for (const { index: actor } of ofRole(actors, 'sandwich')) {
    for (let n = 0; n < 5; n++) {
      const [token, victim] = [random.pick(thinTokens(tokens)).index, random.pick(crowd).index]
      const at_s = now_s - random.between(2, 70) * day_s
      diary.add(at_s, { kind: 'sandwich', actor, victim, token, usd: random.between(500, 1_500) })
    }
  }
  for (const { index: actor } of ofRole(actors, 'bot')) {
    for (let day = 1; day <= 8; day++) {
      const begin_s = now_s - day * day_s - 6 * hour_s
      for (let n = 0; n < 26; n++) {
        const bought_s = begin_s + n * 11 * slot_s
        addTrip(diary, {
          actor,
          token: n % n_deep,
          usd: 150,
          bought_s,
          sold_s: bought_s + 8 * slot_s,
          routes: ['v3', 'v3'],
        })
      }
    }
  }
}

/** Newcomers: their first transaction is their first purchase, some days before now. They sell half of it. */
export function addNewcomers(diary: Diary, actors: readonly Actor[], { seed, now_s, tokens }: Setting): void {
  const n_deep = tokens.filter(({ kind }) => kind === 'deep').length
  for (const { index: actor } of ofRole(actors, 'newcomer')) {
    const random = createRandom(seed, 35, actor)
    for (let n = 0; n < 3; n++) {
      const bought_s = now_s - random.between(3, 5) * day_s
      const sold_s = bought_s + random.between(6, 40) * hour_s
      const usd = random.between(150, 400)
      addTrip(diary, { actor, token: n % n_deep, usd, bought_s, sold_s, share: 0.5, routes: ['v3', 'v3'] })
    }
  }
}

/** Adds movements of tokens without a trade: airdrops, transfers between wallets of one owner, failed swaps. */
export function addMovements(diary: Diary, actors: readonly Actor[], { seed, now_s, tokens }: Setting): void {
  const random = createRandom(seed, 34)
  const [vault] = ofRole(actors, 'vault')
  const [gift] = tokens
  const [third] = thinTokens(tokens)
  const crowd = shuffled(random, ofRole(actors, 'crowd'))
  if (third === undefined || gift === undefined || vault === undefined) return
  // Small purchases through two pools give the gift a price that no single trade moves.
  const airdrop_s = now_s - 40 * day_s
  for (const [n, { index: actor }] of crowd.slice(0, 4).entries()) {
    const route = n % 2 === 0 ? 'v2' : 'v3'
    diary.add(airdrop_s - 60, { kind: 'swap', actor, from: 'dollar', to: gift.index, route, usd: 50 + 40 * n })
  }
  const gifted = crowd.slice(4, 16)
  diary.add(airdrop_s, { kind: 'airdrop', token: gift.index, to: gifted.map(({ index }) => index), amount: 50 })
  for (const { index: actor } of gifted.slice(0, 6)) {
    const at_s = airdrop_s + random.between(1, 30) * day_s
    diary.add(at_s, { kind: 'swap', actor, from: gift.index, to: 'dollar', route: 'v3', share: 1 })
  }
  for (const { index: actor } of ofRole(actors, 'generalist').slice(0, 1)) {
    const bought_s = now_s - 60 * day_s
    diary.add(bought_s, { kind: 'swap', actor, from: 'dollar', to: third.index, route: 'v3', usd: 700 })
    diary.add(bought_s + day_s, { kind: 'send', actor, to: vault.index, token: third.index, share: 0.5 })
  }
  for (const { index: actor } of ofRole(actors, 'generalist')) {
    diary.add(now_s - random.between(2, 60) * day_s, { kind: 'fail', actor, token: third.index })
  }
}
