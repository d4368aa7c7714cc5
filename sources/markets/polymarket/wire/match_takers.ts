import { sharedTexts, type NewFill } from '#sources/markets/fills.ts'
import type { Micros } from '#time.ts'

import { notional, toFill, type Trade } from './trade_rows.ts'

/** A fill without a known role. */
type Marked = { -readonly [K in keyof NewFill]: NewFill[K] }

/**
 * A market's fills with their roles. `unmatchedTakers` are takers that are missing from the list of all: the two lists
 * contradict each other.
 */
export type MatchedFills = { fills: NewFill[]; n_takers: number; n_unmatched_takers: number }

/**
 * Separates takers from makers as the pages of two lists arrive, without holding either list. First `add` all trades of
 * a market, then `mark` the trades of takers. A row of the first list with an equal row in the second is a taker's.
 * Equal rows are matched one to one. `end` without takers leaves every role unknown. Trades outside the window are left
 * out.
 */
export function openTakerMatcher({ from = 0, until }: Window): {
  add: (trades: readonly Trade[]) => void
  mark: (takers: readonly Trade[]) => void
  end: (areTakersKnown: boolean) => MatchedFills
} {
  const share = sharedTexts()
  const fills = openFillMatcher()
  const fillsOf = (trades: readonly Trade[], role: ListedRole) => listedFills(trades, role, { from, until }).map(share)
  return {
    add: (trades) => fills.add(fillsOf(trades, 'maker')),
    mark: (takers) => fills.mark(fillsOf(takers, 'taker')),
    end: fills.end,
  }
}

type Window = { from?: Micros | undefined; until: Micros }
/** `maker`: a row of the list of all; `taker`: of the list of takers. */
type ListedRole = 'maker' | 'taker'

/** The fills of a page of either list. */
export const listedFills = (trades: readonly Trade[], role: ListedRole, { from = 0, until }: Window): NewFill[] =>
  trades
    .filter(({ timestamp }) => timestamp >= from && timestamp < until)
    .map((trade) => toFill(trade, { role, cash_usd: notional(trade), fee_usd: null }))

/** Matches the fills of both lists, of whole transactions. It sets the roles of the given fills. */
export function matchListed(listed: readonly NewFill[], areTakersKnown: boolean): MatchedFills {
  const matcher = openFillMatcher()
  matcher.add(listed.filter(({ role }) => role === 'maker'))
  if (areTakersKnown) matcher.mark(listed.filter(({ role }) => role === 'taker'))
  return matcher.end(areTakersKnown)
}

function openFillMatcher() {
  const fills: Marked[] = []
  const unmatched: NewFill[] = []
  /** Rows without a match so far, by transaction. */
  const makers = new Map<string, Marked[]>()
  let n_takers = 0
  return {
    add: (all: readonly Marked[]): void => {
      for (const fill of all) {
        fills.push(fill)
        const together = makers.get(fill.tx)
        if (together) together.push(fill)
        else makers.set(fill.tx, [fill])
      }
    },
    mark: (takers: readonly NewFill[]): void => {
      for (const taker of takers) {
        const together = makers.get(taker.tx) ?? []
        const at = together.findIndex((fill) => isTwin(fill, taker))
        const [twin] = at < 0 ? [] : together.splice(at, 1)
        if (twin === undefined) unmatched.push(taker)
        else {
          twin.role = 'taker'
          n_takers += 1
        }
      }
    },
    end: (areTakersKnown: boolean): MatchedFills => {
      makers.clear()
      if (areTakersKnown) {
        for (const stray of unmatched) fills.push(stray)
        return { fills, n_takers, n_unmatched_takers: unmatched.length }
      }
      for (const fill of fills) fill.role = null
      return { fills, n_takers: 0, n_unmatched_takers: 0 }
    },
  }
}

/** Whether two rows of one transaction are equal. */
const isTwin = (a: NewFill, b: NewFill): boolean =>
  a.token_id === b.token_id &&
  a.trader === b.trader &&
  a.side === b.side &&
  a.price === b.price &&
  a.size === b.size &&
  a.cash_usd === b.cash_usd &&
  a.ts === b.ts
