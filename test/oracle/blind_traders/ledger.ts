import { roundedDivision } from '#sim/markets/true_ledger.ts'
import type { Market } from '#test/oracle/blind/facts.ts'
import { grouped } from '#test/oracle/blind/numbers.ts'
import { cashOf } from '#test/oracle/blind/prints.ts'

import type { Fill, Move, TraderFacts } from './facts.ts'
import type { Rules } from './rules.ts'

/** A trader's history in one market, at average cost. Amounts are whole millionths. */
export type Life = {
  market: Market
  holdings: Holding[]
  fills: Fill[]
  realized: Realized[]
  paidIn: number
  /** The last instant at which shares went by a sale, merge or conversion. */
  lastOut: number | null
  wasOutAtResolution: boolean
}

/**
 * Whether a fill counts in volumes and traits. One of a transaction with the trader on both sides does not, as far as
 * the text goes: it says so of closes alone.
 */
export const isOfVolume = ({ isSelf }: Fill): boolean => !isSelf

type Holding = { size: number; cost: number }
type Realized = { ts: number; kind: Kind; cost: number; pnl: number }
type Kind = 'sale' | 'merge' | 'conversion' | 'resolution' | 'redemption'

export type Account = {
  trader: string
  fills: Fill[]
  lives: Map<string, Life>
  untracked: number
  hasUnknownConversion: boolean
  /** Whether the account's own history was read. */
  isRead: boolean
}

type Event = { ts: number; rank: number; tx: string; order: number; apply: (account: Account) => void }

/** The size below which a holding counts as empty, in millionths of a share. */
const dust = 10_000

export function accountsOf(facts: TraderFacts, rules: Rules): Account[] {
  const fills = grouped(
    facts.fills.filter(({ trader, isSystem }) => trader !== '' && !isSystem),
    ({ trader }) => trader,
  )
  const moves = grouped(facts.moves, ({ trader }) => trader)
  return [...new Set([...fills.keys(), ...moves.keys()])].map((trader) => {
    const [own, moved] = [fills.get(trader) ?? [], moves.get(trader) ?? []]
    const account = {
      trader,
      fills: own,
      lives: new Map<string, Life>(),
      untracked: 0,
      hasUnknownConversion: false,
      isRead: facts.accounts.has(trader),
    }
    const events = [...own.map(ofFill), ...moved.flatMap((move) => ofMove(facts, move))]
    const markets = new Set([...own.map(({ market }) => market), ...moved.flatMap((move) => marketsOf(facts, move))])
    if (rules.realized === 'at resolution') for (const market of markets) events.push(...ofResolution(market))
    for (const event of events.toSorted(inOrder)) event.apply(account)
    return account
  })
}

/**
 * Within an instant: buys and splits, conversions and merges, sales, the resolution, redemptions; then by transaction.
 */
function inOrder(a: Event, b: Event): number {
  return a.ts - b.ts || a.rank - b.rank || (a.tx < b.tx ? -1 : a.tx > b.tx ? 1 : 0) || a.order - b.order
}

function ofFill(fill: Fill): Event {
  const { ts, tx, side, market, outcome, size } = fill
  const [cash, fee] = [cashOf(fill), fill.fee ?? 0]
  const isBuy = side === 'buy'
  return {
    ts,
    tx,
    rank: isBuy ? 0 : 2,
    order: outcome * 1e12 + size,
    apply: (account) => {
      const life = lifeIn(account, market)
      life.fills.push(fill)
      if (isBuy) take(life, outcome, size, cash + fee)
      else give(account, life, { outcome, size, proceeds: cash - fee, ts, kind: 'sale' })
    },
  }
}

function ofMove(facts: TraderFacts, move: Move): Event[] {
  const { kind, ts, tx } = move
  const base = { ts, tx, order: 0 }
  if (kind === 'convert') return [{ ...base, rank: 1, apply: (account) => convert(facts, account, move) }]
  const market = facts.markets.get(move.marketId)
  if (market === undefined) return []
  const size = move.size ?? 0
  const halves = [halfOf(size), size - halfOf(size)]
  if (kind === 'split') {
    return [
      {
        ...base,
        rank: 0,
        apply: (account) => halves.forEach((cost, i) => take(lifeIn(account, market), i, size, cost)),
      },
    ]
  }
  if (kind === 'merge') {
    const apply = (account: Account): void => {
      for (const [outcome, proceeds] of halves.entries()) {
        give(account, lifeIn(account, market), { outcome, size, proceeds, ts, kind })
      }
    }
    return [{ ...base, rank: 1, apply }]
  }
  return kind === 'redeem' ? [{ ...base, rank: 4, apply: (account) => redeem(lifeIn(account, market), move) }] : []
}

function ofResolution(market: Market): Event[] {
  const { resolvedAt, payouts } = market
  if (resolvedAt === null || payouts === null) return []
  const apply = (account: Account): void => {
    const life = lifeIn(account, market)
    life.wasOutAtResolution = isOut(life)
    for (const [outcome, holding] of life.holdings.entries()) {
      const value = shareOf(holding.size, payouts[outcome] ?? 0, 1_000_000)
      if (holding.size > 0) {
        life.realized.push({ ts: resolvedAt, kind: 'resolution', cost: holding.cost, pnl: value - holding.cost })
      }
      holding.cost = value
    }
  }
  return [{ ts: resolvedAt, rank: 3, tx: '', order: 0, apply }]
}

export const isOut = ({ holdings }: Life): boolean => holdings.every(({ size }) => size < dust)

function take(life: Life, outcome: number, size: number, cost: number): void {
  const holding = life.holdings[outcome]
  if (holding === undefined) return
  holding.size += size
  holding.cost += cost
  life.paidIn += cost
}

type Gift = { outcome: number; size: number; proceeds: number; ts: number; kind: Kind }

/** Shares go at average cost. Shares without a purchase realize nothing. Returns the cost. */
function give(account: Account, life: Life, { outcome, size, proceeds, ts, kind }: Gift): number {
  const holding = life.holdings[outcome] ?? { size: 0, cost: 0 }
  const held = Math.min(size, holding.size)
  const known = held === size ? proceeds : shareOf(proceeds, held, size)
  const cost = held === 0 ? 0 : shareOf(holding.cost, held, holding.size)
  holding.size -= held
  holding.cost -= cost
  account.untracked += proceeds - known
  if (held > 0 && kind !== 'conversion') life.realized.push({ ts, kind, cost, pnl: known - cost })
  if (held > 0 && kind === 'conversion') life.realized.push({ ts, kind, cost, pnl: 0 })
  if (held > 0) life.lastOut = ts
  return cost
}

/** All shares of the market go; a resolution realized their payouts before. */
function redeem(life: Life, { cash, ts }: Move): void {
  const cost = life.holdings.reduce((sum, holding) => sum + holding.cost, 0)
  life.realized.push({ ts, kind: 'redemption', cost, pnl: (cash ?? 0) - cost })
  for (const holding of life.holdings) Object.assign(holding, { size: 0, cost: 0 })
}

/** NO of the named questions becomes YES of the others, which share its cost less the returned cash. */
function convert(facts: TraderFacts, account: Account, move: Move): void {
  // Without the questions that it names, nothing is known of its shares.
  if (move.indexSet === null) account.hasUnknownConversion = true
  const set = BigInt(move.indexSet ?? '0')
  const isNamed = (market: Market): boolean => (set & (1n << BigInt(facts.groups.get(market.id)?.index ?? 0))) !== 0n
  const markets = marketsOf(facts, move)
  const [size, ts] = [move.size ?? 0, move.ts]
  let left = -(move.cash ?? 0)
  for (const market of markets.filter(isNamed)) {
    left += give(account, lifeIn(account, market), { outcome: 1, size, proceeds: 0, ts, kind: 'conversion' })
  }
  const others = markets.filter((market) => !isNamed(market))
  const least = Math.floor(left / others.length)
  const n_more = left - least * others.length
  for (const [place, market] of others.entries())
    take(lifeIn(account, market), 0, size, least + (place < n_more ? 1 : 0))
}

function marketsOf(facts: TraderFacts, { marketId, groupId, kind }: Move): Market[] {
  if (kind !== 'convert') return [facts.markets.get(marketId)].flatMap((market) => market ?? [])
  return [...facts.groups]
    .filter(([, group]) => group.id === groupId)
    .toSorted(([, a], [, b]) => a.index - b.index)
    .flatMap(([id]) => facts.markets.get(id) ?? [])
}

function lifeIn({ lives }: Account, market: Market): Life {
  const known = lives.get(market.id)
  if (known !== undefined) return known
  const holdings = market.tokenIds.map(() => ({ size: 0, cost: 0 }))
  const life: Life = { market, holdings, fills: [], realized: [], paidIn: 0, lastOut: null, wasOutAtResolution: false }
  lives.set(market.id, life)
  return life
}

/** a b / c of whole numbers, rounded half to even. */
const shareOf = (a: number, b: number, c: number): number => Number(roundedDivision(BigInt(a) * BigInt(b), BigInt(c)))
const halfOf = (size: number): number => shareOf(size, 1, 2)
