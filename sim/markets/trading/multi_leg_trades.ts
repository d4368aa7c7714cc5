import { buy, execute, onGrid } from './orders.ts'
import { sellSlot } from './takers.ts'
import { advance, give, heldOf, later, personOf, type TradingFloor } from './trading_floor.ts'

/** Trades in several steps: complete sets below a dollar, and conversions. */

/** An arbitrageur buys every outcome for less than a dollar in total. Returns the number of matches. */
export function buySet(floor: TradingFloor, until_s: number): number {
  const { random, plan } = floor
  const member = random.pick(floor.arbitrageurs)
  const market = random.below(plan.markets.length)
  const size = 1_000_000 * Math.max(5, Math.round(personOf(floor, member).bet_usd * random.between(0.6, 1.4)))
  if (plan.draft.shape.isNegRisk && random.chance(0.4)) return buyField(floor, member, size, until_s)

  const tick = plan.markets[market]?.tick ?? 10_000
  const fair = floor.fair[market] ?? 0
  if (fair < 0.04 || fair > 0.96) return 0
  const total = 1_000_000 - tick * Math.ceil(random.between(10_000, 30_000) / tick)
  const first = Math.min(total - tick, onGrid((fair - (1 - total / 1e6) / 2) * 1e6, tick))
  execute(floor, { member, slot: 2 * market, side: buy, price: first, size })
  advance(floor, floor.now_s + Math.min(random.below(20), until_s - floor.now_s))
  execute(floor, { member, slot: 2 * market + 1, side: buy, price: total - first, size })
  if (random.chance(0.75)) later(floor, floor.now_s + 5 + random.below(300), () => mergeAll(floor, member, market))
  return 2
}

/** YES of every candidate: one of them pays a dollar. */
function buyField(floor: TradingFloor, member: number, size: number, until_s: number): number {
  const discount = 1 - floor.random.between(0.01, 0.03)
  const { markets } = floor.plan
  for (const [i, market] of markets.entries()) {
    const price = onGrid((floor.fair[i] ?? 0) * discount * 1e6 - market.tick / 2, market.tick)
    execute(floor, { member, slot: 2 * i, side: buy, price, size })
    advance(floor, floor.now_s + Math.min(floor.random.below(6), until_s - floor.now_s))
  }
  return markets.length
}

/** Complete sets turned back into dollars. */
export function mergeAll(floor: TradingFloor, member: number, market: number, leave = 0): void {
  const size = Math.min(heldOf(floor, member, 2 * market), heldOf(floor, member, 2 * market + 1)) - leave
  if (size <= 0) return
  give(floor, member, 2 * market, -size)
  give(floor, member, 2 * market + 1, -size)
  record(floor, member, market, 'MERGE', size)
}

/** Dollars turned into complete sets. */
export function split(floor: TradingFloor, member: number, market: number, size: number): void {
  give(floor, member, 2 * market, size)
  give(floor, member, 2 * market + 1, size)
  record(floor, member, market, 'SPLIT', size)
}

function record(floor: TradingFloor, member: number, market: number, kind: 'SPLIT' | 'MERGE', size: number): void {
  const index = floor.plan.markets[market]?.index ?? -1
  const base = {
    ts_s: floor.now_s,
    tx: floor.tape.nextTx++,
    trader: personOf(floor, member).index,
    event: -1,
    indexSet: 0,
  }
  floor.tape.activity.push({ ...base, kind, market: index, size, cash: size })
}

/**
 * A converter buys NO on some candidates and converts them into YES on the remaining candidates and dollars. Some of
 * the YES are sold.
 */
export function convert(floor: TradingFloor, member: number, until_s: number): number {
  const { random, plan } = floor
  const ranked = plan.markets.map((_, i) => i).sort((a, b) => (floor.fair[a] ?? 0) - (floor.fair[b] ?? 0) || a - b)
  const k = 1 + random.below(Math.min(3, ranked.length - 1))
  const converted = ranked.slice(0, k)
  const size = 1_000_000 * (20 + random.below(200))
  for (const market of converted) {
    const tick = plan.markets[market]?.tick ?? 1000
    const price = onGrid((1 - (floor.fair[market] ?? 0)) * 1e6, tick)
    execute(floor, { member, slot: 2 * market + 1, side: buy, price, size })
    advance(floor, floor.now_s + Math.min(random.below(8), until_s - floor.now_s))
  }
  later(floor, floor.now_s + 20 + random.below(200), () => finishConversion(floor, member, converted, size))
  return k
}

function finishConversion(floor: TradingFloor, member: number, converted: number[], target: number): void {
  const { random } = floor
  const size = Math.min(target, ...converted.map((market) => heldOf(floor, member, 2 * market + 1)))
  if (size <= 0) return
  const others = turnInto(floor, member, converted, size)
  // YES of the most likely candidate is sold soon. Some of the remaining YES are sold later, and some are held to the
  // end.
  const likeliest = others.reduce((a, b) => ((floor.fair[b] ?? 0) > (floor.fair[a] ?? 0) ? b : a))
  later(floor, floor.now_s + 30 + random.below(1800), () => sellSlot(floor, member, 2 * likeliest, 1))
  for (const market of others) {
    if (market === likeliest || random.chance(0.5)) continue
    later(floor, floor.now_s + 60 + random.below(172_800), () => sellSlot(floor, member, 2 * market, 1))
  }
}

/** Turns NO of some questions into YES of the others and dollars. Returns the others. */
export function turnInto(floor: TradingFloor, member: number, converted: readonly number[], size: number): number[] {
  const { plan } = floor
  const others = plan.markets.map((_, i) => i).filter((market) => !converted.includes(market))
  for (const market of converted) give(floor, member, 2 * market + 1, -size)
  for (const market of others) give(floor, member, 2 * market, size)
  floor.tape.activity.push({
    ts_s: floor.now_s,
    tx: floor.tape.nextTx++,
    trader: personOf(floor, member).index,
    kind: 'CONVERSION',
    market: -1,
    size,
    cash: (converted.length - 1) * size,
    event: plan.event.index,
    indexSet: converted.reduce((set, market) => set | (1 << market), 0),
  })
  return others
}
