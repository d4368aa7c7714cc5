import type { Micros } from '#time.ts'

import { isBefore, ledgersOf, type Entry } from './ledger_entries.ts'
import type { World } from './types.ts'

export const windows = { '30d': 30, '90d': 90, all: Infinity } as const
export type Window = keyof typeof windows

/** The true figures of one trader at an instant. Money in millionths of a dollar. */
export type Truth = {
  /** Realized in the window (at - N x 24 h, at]. */
  pnl: Record<Window, bigint>
  /** The closed markets of the trader in the window with at least a dollar paid in, and the won markets among them. */
  closed: Record<Window, number>
  won: Record<Window, number>
  win_rate: Record<Window, number>
  markets_traded: number
  nFills: number
  /** False for traders with conversions, which the venue's feed does not show completely. */
  isComplete: boolean
  /** The cost of the held shares; after a resolution their payout. */
  open_cost: bigint
}

/** The true ledger of all traders by `at`, by wallet. It is plain, slow, and independent of the scoring. */
export function truth(world: World, at: Micros): Map<string, Truth> {
  const at_s = Math.floor(at / 1_000_000)
  const result = new Map<string, Truth>()
  for (const [trader, entries] of ledgersOf(world, at_s)) {
    const wallet = world.traders[trader]?.wallet
    if (wallet !== undefined) result.set(wallet, judge(world, entries, at))
  }
  return result
}

type Holding = { size: bigint; cost: bigint }
type Realized = { ts_s: number; usd: bigint }
/** One trader's history in one market. */
type Life = {
  holdings: [Holding, Holding]
  realized: Realized[]
  paidIn: bigint
  lastOut_s: number
  wasOutAtResolution: boolean
  isResolved: boolean
  nFills: number
}

function judge(world: World, entries: Entry[], at: Micros): Truth {
  const lives = new Map<number, Life>()
  let isComplete = true
  for (const entry of entries.sort(isBefore)) {
    if (entry.kind === 'conversion') isComplete = false
    if (entry.kind === 'conversion') convert(world, lives, entry)
    else apply(lifeIn(lives, entry.market), entry)
  }
  const at_s = at / 1_000_000
  const inWindow = (ts_s: number, window: Window) => ts_s <= at_s && ts_s > at_s - windows[window] * 86_400
  const each = <T>(compute: (window: Window) => T): Record<Window, T> => ({
    '30d': compute('30d'),
    '90d': compute('90d'),
    all: compute('all'),
  })

  const closings = [...lives].flatMap(([market, life]) => {
    const closing_s = closingOf(life, world.markets[market]?.resolvedAt_s ?? Infinity)
    return closing_s === undefined || life.paidIn < 1_000_000n ? [] : [{ closing_s, isWon: sum(life.realized) > 0n }]
  })
  const closed = each((window) => closings.filter(({ closing_s }) => inWindow(closing_s, window)).length)
  const won = each((window) => closings.filter(({ closing_s, isWon }) => isWon && inWindow(closing_s, window)).length)
  const all = [...lives.values()]
  return {
    pnl: each((window) => sum(all.flatMap((life) => life.realized).filter(({ ts_s }) => inWindow(ts_s, window)))),
    closed,
    won,
    win_rate: each((window) => (closed[window] === 0 ? 0 : won[window] / closed[window])),
    markets_traded: all.filter((life) => life.nFills > 0).length,
    nFills: all.reduce((n, life) => n + life.nFills, 0),
    isComplete,
    open_cost: all.reduce((total, { holdings: [first, second] }) => total + first.cost + second.cost, 0n),
  }
}

function apply(life: Life, entry: Exclude<Entry, { kind: 'conversion' }>): void {
  const { holdings, realized } = life
  switch (entry.kind) {
    case 'buy':
      life.nFills++
      life.paidIn += entry.cash + entry.fee
      return take(holdings[entry.outcome], entry.size, entry.cash + entry.fee)
    case 'sale':
      life.nFills++
      life.lastOut_s = entry.ts_s
      realized.push({ ts_s: entry.ts_s, usd: entry.cash - entry.fee - release(holdings[entry.outcome], entry.size) })
      return
    case 'split':
      life.paidIn += entry.size
      for (const [outcome, half] of halves(entry.size).entries())
        take(holdings[outcome === 0 ? 0 : 1], entry.size, half)
      return
    case 'merge':
      life.lastOut_s = entry.ts_s
      for (const [outcome, half] of halves(entry.size).entries()) {
        realized.push({ ts_s: entry.ts_s, usd: half - release(holdings[outcome === 0 ? 0 : 1], entry.size) })
      }
      return
    case 'resolution':
      life.wasOutAtResolution = isOut(life)
      life.isResolved = true
      for (const [outcome, holding] of holdings.entries()) {
        const value = roundedDivision(holding.size * BigInt(entry.payouts[outcome] ?? 0), 1_000_000n)
        realized.push({ ts_s: entry.ts_s, usd: value - holding.cost })
        holding.cost = value
      }
      return
    case 'redemption':
      realized.push({ ts_s: entry.ts_s, usd: entry.cash - holdings[0].cost - holdings[1].cost })
      for (const holding of holdings) Object.assign(holding, { size: 0n, cost: 0n })
  }
}

/**
 * NO on k questions becomes YES on the other questions and k - 1 dollars a share. Cost is conserved: the YES shares get
 * the cost of the NO shares minus the dollars, in equal parts. The first part takes the remaining millionths.
 */
function convert(world: World, lives: Map<number, Life>, entry: Extract<Entry, { kind: 'conversion' }>): void {
  const questions = world.events[entry.event]?.markets ?? []
  const isGiven = (i: number) => (entry.indexSet & (1 << i)) !== 0
  const converted = questions.filter((_, i) => isGiven(i))
  const others = questions.filter((_, i) => !isGiven(i))
  let cost = -entry.cash
  for (const market of converted) {
    const life = lifeIn(lives, market)
    cost += release(life.holdings[1], entry.size)
    life.lastOut_s = entry.ts_s
  }
  const n = BigInt(others.length)
  const least = (cost - (((cost % n) + n) % n)) / n
  let left = cost - least * n
  for (const market of others) {
    take(lifeIn(lives, market).holdings[0], entry.size, left > 0n ? least + 1n : least)
    left--
  }
}

function take(holding: Holding, size: bigint, cost: bigint): void {
  holding.size += size
  holding.cost += cost
}

/** Removes shares at average cost and returns that cost. */
function release(holding: Holding, size: bigint): bigint {
  if (size > holding.size) throw new Error('sale: more shares than held; expected a holding that covers it')
  const cost = roundedDivision(holding.cost * size, holding.size)
  holding.size -= size
  holding.cost -= cost
  return cost
}

/**
 * Half a dollar a share. Of an odd number of millionths, outcome 0 gets the half rounded to even, outcome 1 the rest.
 */
function halves(size: bigint): [bigint, bigint] {
  const first = roundedDivision(size, 2n)
  return [first, size - first]
}

const dust = 10_000n
const isOut = (life: Life): boolean => life.holdings.every(({ size }) => size < dust)

/** The instant at which a market closed for the trader: its resolution, or the last sale if no shares were left. */
function closingOf(life: Life, resolvedAt_s: number): number | undefined {
  if (life.isResolved)
    return life.wasOutAtResolution && life.lastOut_s > 0 ? Math.min(life.lastOut_s, resolvedAt_s) : resolvedAt_s
  return isOut(life) && life.lastOut_s > 0 ? life.lastOut_s : undefined
}

function lifeIn(lives: Map<number, Life>, market: number): Life {
  const current = lives.get(market)
  if (current !== undefined) return current
  const life: Life = {
    holdings: [
      { size: 0n, cost: 0n },
      { size: 0n, cost: 0n },
    ],
    realized: [],
    paidIn: 0n,
    lastOut_s: 0,
    wasOutAtResolution: false,
    isResolved: false,
    nFills: 0,
  }
  lives.set(market, life)
  return life
}

const sum = (realized: Realized[]): bigint => realized.reduce((total, { usd }) => total + usd, 0n)

/** n / d (d > 0) to the nearest whole number, halves to the even one. */
export function roundedDivision(n: bigint, d: bigint): bigint {
  if (d === 0n) return 0n
  const rest = ((n % d) + d) % d
  const floor = (n - rest) / d
  if (2n * rest === d) return floor % 2n === 0n ? floor : floor + 1n
  return 2n * rest > d ? floor + 1n : floor
}
