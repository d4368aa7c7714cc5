import { buy, execute, onGrid } from './orders.ts'
import { sellSlot } from './takers.ts'
import { advance, give, heldOf, later, personOf, type Pit } from './trading_floor.ts'

/** What is done in several steps: complete sets bought below a dollar, and conversions. */

/** An arbitrageur buys every outcome for less than a dollar in all. Returns how many matches came of it. */
export function buySet(pit: Pit, until_s: number): number {
  const { random, plan } = pit
  const member = random.pick(pit.arbitrageurs)
  const market = random.below(plan.markets.length)
  const size = 1_000_000 * Math.max(5, Math.round(personOf(pit, member).bet_usd * random.between(0.6, 1.4)))
  if (plan.draft.shape.isNegRisk && random.chance(0.4)) return buyField(pit, member, size, until_s)

  const tick = plan.markets[market]?.tick ?? 10_000
  const fair = pit.fair[market] ?? 0
  if (fair < 0.04 || fair > 0.96) return 0
  const total = 1_000_000 - tick * Math.ceil(random.between(10_000, 30_000) / tick)
  const first = Math.min(total - tick, onGrid((fair - (1 - total / 1e6) / 2) * 1e6, tick))
  execute(pit, { member, slot: 2 * market, side: buy, price: first, size })
  advance(pit, pit.now_s + Math.min(random.below(20), until_s - pit.now_s))
  execute(pit, { member, slot: 2 * market + 1, side: buy, price: total - first, size })
  if (random.chance(0.75)) later(pit, pit.now_s + 5 + random.below(300), () => mergeAll(pit, member, market))
  return 2
}

/** YES of every candidate: one of them pays a dollar. */
function buyField(pit: Pit, member: number, size: number, until_s: number): number {
  const discount = 1 - pit.random.between(0.01, 0.03)
  const { markets } = pit.plan
  for (const [i, market] of markets.entries()) {
    const price = onGrid((pit.fair[i] ?? 0) * discount * 1e6 - market.tick / 2, market.tick)
    execute(pit, { member, slot: 2 * i, side: buy, price, size })
    advance(pit, pit.now_s + Math.min(pit.random.below(6), until_s - pit.now_s))
  }
  return markets.length
}

/** Complete sets turned back into dollars. */
export function mergeAll(pit: Pit, member: number, market: number, leave = 0): void {
  const size = Math.min(heldOf(pit, member, 2 * market), heldOf(pit, member, 2 * market + 1)) - leave
  if (size <= 0) return
  give(pit, member, 2 * market, -size)
  give(pit, member, 2 * market + 1, -size)
  record(pit, member, market, 'MERGE', size)
}

/** Dollars turned into complete sets. */
export function split(pit: Pit, member: number, market: number, size: number): void {
  give(pit, member, 2 * market, size)
  give(pit, member, 2 * market + 1, size)
  record(pit, member, market, 'SPLIT', size)
}

function record(pit: Pit, member: number, market: number, kind: 'SPLIT' | 'MERGE', size: number): void {
  const index = pit.plan.markets[market]?.index ?? -1
  const base = { ts_s: pit.now_s, tx: pit.tape.nextTx++, trader: personOf(pit, member).index, event: -1, indexSet: 0 }
  pit.tape.activity.push({ ...base, kind, market: index, size, cash: size })
}

/** A converter buys NO on some candidates, turns them into YES on the others and dollars, and sells some of the YES. */
export function convert(pit: Pit, member: number, until_s: number): number {
  const { random, plan } = pit
  const ranked = plan.markets.map((_, i) => i).sort((a, b) => (pit.fair[a] ?? 0) - (pit.fair[b] ?? 0) || a - b)
  const k = 1 + random.below(Math.min(3, ranked.length - 1))
  const given = ranked.slice(0, k)
  const size = 1_000_000 * (20 + random.below(200))
  for (const market of given) {
    const tick = plan.markets[market]?.tick ?? 1000
    const price = onGrid((1 - (pit.fair[market] ?? 0)) * 1e6, tick)
    execute(pit, { member, slot: 2 * market + 1, side: buy, price, size })
    advance(pit, pit.now_s + Math.min(random.below(8), until_s - pit.now_s))
  }
  later(pit, pit.now_s + 20 + random.below(200), () => finishConversion(pit, member, given, size))
  return k
}

function finishConversion(pit: Pit, member: number, given: number[], wanted: number): void {
  const { plan, random } = pit
  const size = Math.min(wanted, ...given.map((market) => heldOf(pit, member, 2 * market + 1)))
  if (size <= 0) return
  const others = plan.markets.map((_, i) => i).filter((market) => !given.includes(market))
  for (const market of given) give(pit, member, 2 * market + 1, -size)
  for (const market of others) give(pit, member, 2 * market, size)
  pit.tape.activity.push({
    ts_s: pit.now_s,
    tx: pit.tape.nextTx++,
    trader: personOf(pit, member).index,
    kind: 'CONVERSION',
    market: -1,
    size,
    cash: (given.length - 1) * size,
    event: plan.event.index,
    indexSet: given.reduce((set, market) => set | (1 << market), 0),
  })
  // The likeliest is sold soon; of the rest some are sold later and some held to the end.
  const likeliest = others.reduce((a, b) => ((pit.fair[b] ?? 0) > (pit.fair[a] ?? 0) ? b : a))
  later(pit, pit.now_s + 30 + random.below(1800), () => sellSlot(pit, member, 2 * likeliest, 1))
  for (const market of others) {
    if (market === likeliest || random.chance(0.5)) continue
    later(pit, pit.now_s + 60 + random.below(172_800), () => sellSlot(pit, member, 2 * market, 1))
  }
}
