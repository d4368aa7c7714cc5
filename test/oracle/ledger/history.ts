import type { Micros } from '#time.ts'

import type { LedgerContext, LedgerEvent, LedgerMarket } from './event.ts'
import {
  emit,
  heldBy,
  holding,
  least,
  paid,
  picked,
  portion,
  take,
  type Holding,
  type Step,
  type World,
} from './world.ts'

export type History = { events: LedgerEvent[]; context: LedgerContext }

/** The questions of a neg-risk group come first among the markets, then those that stand alone, by their outcomes. */
export type Layout = {
  n_traders: number
  markets: { n_questions: number; n_outcomes: number[] }
  indexes: number[]
}

const group = '0xgroup'
const start: Micros = 1_700_000_000_000_000

/** The events of some steps taken one after the other. */
export function play(layout: Layout, steps: Step[]): History {
  const markets = marketsOf(layout)
  const world: World = { markets, events: [], now: start, payouts: new Map(), holdings: [] }
  const traders = ['0xa1', '0xB2', '0xa', 'z'].slice(0, layout.n_traders)
  for (const step of steps) {
    world.now += step.wait_us
    acts[step.act](world, step, picked(traders, step.trader))
  }
  return { events: world.events, context: { markets } }
}

function marketsOf({ markets, indexes }: Layout): LedgerMarket[] {
  const questions = ['q3', 'q1', 'Q4', 'q2'].slice(0, markets.n_questions).map((market_id, i) => ({
    market_id,
    n_outcomes: 2,
    neg_risk_id: group,
    neg_risk_index: picked(indexes, i),
  }))
  const alone = markets.n_outcomes.map((n_outcomes, i) => ({
    market_id: `m${i}`,
    n_outcomes,
    neg_risk_id: null,
    neg_risk_index: null,
  }))
  // Shares of the first market of two outcomes migrate to it. Its id comes before the others or after them.
  const market_id = markets.n_questions === 3 ? 'a2' : 'v2'
  const migrated = { market_id, n_outcomes: 2, neg_risk_id: null, neg_risk_index: null }
  return [...questions, ...alone, migrated]
}

const acts: Record<Step['act'], (world: World, step: Step, trader: string) => void> = {
  buy: (world, step, trader) => buy(world, step, trader, picked(world.markets, step.pick), step.outcome),
  sell,
  split: (world, step, trader) => {
    const market = picked(world.markets, step.pick)
    if (market.n_outcomes !== 2) return buy(world, step, trader, market, step.outcome)
    emit(world, step, { trader, market_id: market.market_id, kind: 'split', size: step.size })
    for (const outcome of [0, 1]) holding(world, trader, market, outcome).size += step.size
  },
  merge,
  convert,
  receive: (world, step, trader) => receive(world, step, trader, picked(world.markets, step.pick)),
  give,
  migrate,
  resolve: (world, step) => resolve(world, step, picked(world.markets, step.pick)),
  redeem,
  repeat: (world) => {
    const last = world.events.at(-1)
    if (last !== undefined) world.events.push({ ...last })
  },
}

function buy(world: World, step: Step, trader: string, market: LedgerMarket, wished: number): void {
  const outcome = wished % market.n_outcomes
  emit(world, step, {
    trader,
    market_id: market.market_id,
    kind: 'buy',
    outcome,
    size: step.size,
    ...paid(step, step.size),
  })
  holding(world, trader, market, outcome).size += step.size
}

function sell(world: World, step: Step, trader: string): void {
  const held = heldBy(world, trader)
  if (held.length === 0 && !step.isBlind) return acts.buy(world, step, trader)
  const market = picked(world.markets, step.pick)
  const chosen = step.isBlind
    ? holding(world, trader, market, step.outcome % market.n_outcomes)
    : picked(held, step.pick)
  const size = step.isBlind ? step.size : portion(chosen.size, step)
  const { market_id } = chosen.market
  emit(world, step, { trader, market_id, kind: 'sell', outcome: chosen.outcome, size, ...paid(step, size) })
  take(chosen, size)
}

/** Shares from somebody else, at their value. */
function receive(world: World, step: Step, trader: string, market: LedgerMarket): void {
  const outcome = step.outcome % market.n_outcomes
  const { cash } = paid(step, step.size)
  emit(world, step, { trader, market_id: market.market_id, kind: 'transfer_in', outcome, size: step.size, cash })
  holding(world, trader, market, outcome).size += step.size
}

/** Shares for somebody else, at their value. */
function give(world: World, step: Step, trader: string): void {
  const held = heldBy(world, trader)
  if (held.length === 0) return acts.receive(world, step, trader)
  const chosen = picked(held, step.pick)
  const size = step.isBlind ? step.size : portion(chosen.size, step)
  const { market_id } = chosen.market
  const { cash } = paid(step, size)
  emit(world, step, { trader, market_id, kind: 'transfer_out', outcome: chosen.outcome, size, cash })
  take(chosen, size)
}

/** Shares of the first market of two outcomes become shares of the last market. */
function migrate(world: World, step: Step, trader: string): void {
  const target = world.markets.at(-1)
  const source = world.markets.find((market) => market.n_outcomes === 2 && market !== target)
  if (source === undefined || target === undefined) return acts.buy(world, step, trader)
  const outcome = step.outcome % 2
  const from = holding(world, trader, source, outcome)
  if (from.size === 0n && !step.isBlind) return buy(world, step, trader, source, outcome)
  const size = step.isBlind ? step.size : portion(from.size, step)
  const { market_id } = source
  const moved = { kind: 'migrate' as const, outcome, size, target: { market_id: target.market_id, outcome } }
  emit(world, step, { trader, market_id, ...moved })
  holding(world, trader, target, outcome).size += least([from, { ...from, size }])
  take(from, size)
}

function merge(world: World, step: Step, trader: string): void {
  const binary = world.markets.filter((market) => market.n_outcomes === 2)
  const pair = (market: LedgerMarket) => [0, 1].map((outcome) => holding(world, trader, market, outcome))
  const paired = binary.filter((market) => pair(market).every((each) => each.size > 0n))
  const candidates = step.isBlind ? binary : paired
  if (candidates.length === 0) return acts.split(world, step, trader)
  const market = picked(candidates, step.pick)
  const size = step.isBlind ? step.size : portion(least(pair(market)), step)
  emit(world, step, { trader, market_id: market.market_id, kind: 'merge', size })
  for (const each of pair(market)) take(each, size)
}

function convert(world: World, step: Step, trader: string): void {
  const questions = world.markets.filter((market) => market.neg_risk_id !== null)
  if (questions.length === 0) return sell(world, step, trader)
  const wished = questions.filter((_, i) => (step.questions >> i) % 2 === 1)
  const given = (wished.length > 0 ? wished : questions).map((market) => holding(world, trader, market, 1))
  const held = step.isBlind ? given : given.filter((each) => each.size > 0n)
  if (held.length < given.length && step.portion_permille <= 1000) {
    for (const each of given) if (each.size === 0n) buy(world, step, trader, each.market, 1)
    return
  }
  if (held.length === 0) return acts.buy(world, step, trader)
  const size = step.isBlind ? step.size : portion(least(held), step)
  const index_set = held.reduce((set, each) => set + (1n << BigInt(each.market.neg_risk_index ?? 0)), 0n)
  const market_id = step.rank === 0 ? '' : picked(questions, step.pick).market_id
  const set = step.isSetKnown ? index_set : null
  emit(world, step, { trader, market_id, kind: 'convert', size, neg_risk_id: group, index_set: set })
  for (const each of held) take(each, size)
  for (const market of questions)
    if (!held.some((each) => each.market === market)) holding(world, trader, market, 0).size += size
}

function resolve(world: World, step: Step, market: LedgerMarket): void {
  const payouts = payoutsOf(step, market)
  emit(world, step, { market_id: market.market_id, kind: 'resolution', payouts })
  world.payouts.set(market.market_id, payouts)
}

function payoutsOf(step: Step, market: LedgerMarket): bigint[] {
  const whole = 1_000_000n
  const [first, second] = {
    one: [whole, 0n],
    halves: [whole / 2n, whole / 2n],
    skewed: [BigInt(step.price_permille) * 1_000n + 7n, whole - 7n - BigInt(step.price_permille) * 1_000n],
    void: [0n, 0n],
  }[step.payouts] as [bigint, bigint]
  const payouts = Array.from({ length: market.n_outcomes }, () => 0n)
  payouts[step.outcome % market.n_outcomes] = first
  payouts[(step.outcome + 1) % market.n_outcomes] = second
  return payouts
}

function redeem(world: World, step: Step, trader: string): void {
  const held = heldBy(world, trader).filter((each) => step.isBlind || world.payouts.has(each.market.market_id))
  if (held.length === 0) {
    const open = heldBy(world, trader)
    return open.length > 0 ? resolve(world, step, picked(open, step.pick).market) : acts.buy(world, step, trader)
  }
  const { market } = picked(held, step.pick)
  const mine = heldBy(world, trader).filter((each) => each.market === market)
  const payouts = world.payouts.get(market.market_id) ?? []
  if (step.isNamed && step.redeemed === 'near' && market.n_outcomes === 2)
    return redeemPairs(world, step, mine, payouts)
  if (step.isNamed) return mine.forEach((each) => redeemNamed(world, step, each, payouts[each.outcome] ?? 0n))
  const worth = mine.reduce((sum, each) => sum + (each.size * (payouts[each.outcome] ?? 0n)) / 1_000_000n, 0n)
  const cash = {
    exact: worth,
    near: worth + BigInt(step.near),
    part: portion(worth, step),
    excess: worth + step.size,
    nothing: 0n,
  }[step.redeemed]
  emit(world, step, { trader, market_id: market.market_id, kind: 'redeem', cash: cash > 0n ? cash : 0n })
  for (const each of mine) take(each, step.redeemed === 'part' ? portion(each.size, step) : each.size)
}

/** A redemption of as many shares of both outcomes, of which the chain does not tell the winner. */
function redeemPairs(world: World, step: Step, mine: readonly Holding[], payouts: readonly bigint[]): void {
  const [first] = mine
  if (first === undefined) return
  const size = portion(least([...mine]), step)
  const cash = payouts.reduce((sum, payout) => sum + (size * payout) / 1_000_000n, 0n)
  const { trader, market } = first
  emit(world, step, { trader, market_id: market.market_id, kind: 'redeem', size, cash })
  for (const each of mine) take(each, size)
}

/** A redemption of one outcome, as the chain tells it. */
function redeemNamed(world: World, step: Step, each: Holding, payout: bigint): void {
  const { trader, outcome, market } = each
  const size = step.redeemed === 'exact' ? each.size : portion(each.size, step)
  const cash = (size * payout) / 1_000_000n
  emit(world, step, { trader, market_id: market.market_id, kind: 'redeem', outcome, size, cash })
  take(each, size)
}
