import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { histories } from './arbitrary.ts'
import type { LedgerEvent, Position, Realization } from './event.ts'
import type { History } from './history.ts'
import { oracleLedger } from './ledger.ts'

const sum = <T>(list: T[], amount: (each: T) => bigint): bigint =>
  list.reduce((total, each) => total + amount(each), 0n)
const ledgerOf = ({ events, context }: History) => oracleLedger(events, context)
const holds = (claim: (history: History) => void): void => fc.assert(fc.property(histories(), claim), { numRuns: 300 })

describe('for any history', () => {
  it('realized is the sum of its rows', () => {
    holds((history) => {
      const { realizations, positions } = ledgerOf(history)
      for (const position of positions)
        expect(position.realized).toBe(sum(rowsOf(position, realizations), (row) => row.pnl))
      expect(sum(positions, (each) => each.realized)).toBe(sum(realizations, (row) => row.pnl))
    })
  })

  it('purchases minus sales plus realizations equal the remaining cost', () => {
    holds((history) => {
      for (const { bought, sold, realized, cost } of ledgerOf(history).positions)
        expect(bought - sold + realized).toBe(cost)
    })
  })

  it('the cash of the events is the cost left, what was realized and what is untracked', () => {
    holds((history) => {
      const { positions } = ledgerOf(history)
      for (const trader of tradersOf(history)) {
        const own = history.events.filter((event) => event.trader === trader)
        const mine = positions.filter((position) => position.trader === trader)
        const left = sum(mine, (each) => each.cost - each.realized - each.untracked)
        // Only a redemption of a few millionths for worthless shares may be dropped.
        const dropped = left - sum(own, spent)
        expect(dropped).toBeGreaterThanOrEqual(0n)
        expect(dropped).toBeLessThanOrEqual(sum(own, (event) => (isCrumb(event) ? event.cash : 0n)))
      }
    })
  })

  it('the shares of the events are what is held, with what was never seen bought', () => {
    holds((history) => {
      const { realizations, positions } = ledgerOf(history)
      for (const position of positions) {
        const moved = sum(history.events, (event) => sharesMoved(event, position, history))
        const named = new Set(history.events.filter((event) => isNamed(event)).map(({ seq }) => seq))
        const redeemed = sum(rowsOf(position, realizations), (row) =>
          row.kind === 'redemption' && !named.has(row.seq) ? row.size : 0n,
        )
        // Only shares that were held came over from another market.
        const isTarget = history.context.markets.at(-1)?.market_id === position.market_id
        const migrated = sum(realizations, (row) =>
          isTarget && row.kind === 'migration' && row.trader === position.trader && row.outcome === position.outcome
            ? row.size
            : 0n,
        )
        expect(position.size - position.size_untracked).toBe(moved - redeemed + migrated)
      }
    })
  })

  it('no size is below zero, nothing costs nothing, and what is untracked is incomplete', () => {
    holds((history) => {
      const { realizations, positions } = ledgerOf(history)
      for (const row of realizations) expect(row.size).toBeGreaterThan(0n)
      for (const position of positions) {
        expect(position.size).toBeGreaterThanOrEqual(0n)
        expect(position.size_untracked).toBeGreaterThanOrEqual(0n)
        if (position.size === 0n) expect(position.cost).toBe(0n)
        if (position.size_untracked > 0n || position.untracked !== 0n) expect(position.is_complete).toBe(false)
        expect(position.first_at).toBeLessThanOrEqual(position.last_at)
      }
    })
  })

  it('the order of the input changes nothing', () => {
    const shuffled = histories().chain((history) =>
      fc.tuple(
        fc.constant(history),
        fc.shuffledSubarray(history.events, { minLength: history.events.length }),
        fc.shuffledSubarray(history.context.markets, { minLength: history.context.markets.length }),
      ),
    )
    fc.assert(
      fc.property(shuffled, ([history, events, markets]) => {
        expect(oracleLedger(events, { markets })).toEqual(ledgerOf(history))
      }),
      { numRuns: 300 },
    )
  })

  it('a trader alone has what the trader has among others', () => {
    holds((history) => {
      const whole = ledgerOf(history)
      for (const trader of tradersOf(history)) {
        const events = history.events.filter((event) => event.trader === trader || event.trader === '')
        expect(ledgerOf({ ...history, events })).toEqual({
          realizations: whole.realizations.filter((row) => row.trader === trader),
          positions: whole.positions.filter((position) => position.trader === trader),
        })
      }
    })
  })

  it('later events do not undo a settled result', () => {
    holds((history) => {
      const middle = history.events.map((event) => event.ts).sort((a, b) => a - b)[history.events.length >> 1]
      const early = history.events.filter((event) => event.ts <= (middle ?? 0))
      const { realizations } = ledgerOf(history)
      expect(ledgerOf({ ...history, events: early }).realizations).toEqual(
        realizations.filter((row) => row.ts <= (middle ?? 0)),
      )
    })
  })
})

describe('the histories', () => {
  const sample = fc.sample(histories(), { numRuns: 500, seed: 7 }).map((history) => ({ history, ...ledgerOf(history) }))
  const reach = (has: (each: (typeof sample)[number]) => boolean): number => sample.filter(has).length

  const kinds = ['sale', 'merge', 'conversion', 'redemption', 'resolution', 'transfer', 'migration']
  it.each(kinds)('realize by %s in many of them', (kind) => {
    expect(reach(({ realizations }) => realizations.some((row) => row.kind === kind))).toBeGreaterThan(100)
  })

  it('reach what is rare', () => {
    const rare = {
      complete: reach(({ positions }) => positions.every((each) => each.is_complete)),
      untracked: reach(({ positions }) => positions.some((each) => each.untracked > 0n)),
      unknownSet: reach(({ history }) =>
        history.events.some((each) => each.kind === 'convert' && each.index_set === null),
      ),
      allConverted: reach(({ realizations }) =>
        realizations.some((row) => row.kind === 'conversion' && row.pnl !== 0n),
      ),
      costBelowZero: reach(({ positions }) => positions.some((each) => each.cost < 0n)),
      correction: reach(({ history }) => {
        const resolved = history.events.filter((each) => each.kind === 'resolution').map((each) => each.market_id)
        return new Set(resolved).size < resolved.length
      }),
      burntInPart: reach(({ positions, realizations }) =>
        positions.some((each) => each.size > 0n && rowsOf(each, realizations).at(-1)?.kind === 'redemption'),
      ),
      soldAfterResolution: reach(({ positions, realizations }) =>
        positions.some((each) => {
          const kinds = rowsOf(each, realizations).map((row) => row.kind)
          return kinds.includes('resolution') && kinds.lastIndexOf('sale') > kinds.indexOf('resolution')
        }),
      ),
      sameRowTwice: reach(
        ({ history }) => new Set(history.events.map((each) => each.seq)).size < history.events.length,
      ),
    }
    for (const [what, n] of Object.entries(rare)) expect(n, what).toBeGreaterThan(5)
  })
})

const rowsOf = (position: Position, rows: Realization[]): Realization[] =>
  rows.filter(
    (row) => row.trader === position.trader && row.market_id === position.market_id && row.outcome === position.outcome,
  )

const tradersOf = ({ events }: History): Set<string> =>
  new Set(events.map((event) => event.trader).filter((trader) => trader !== ''))

/** Whether a redemption says how many shares it took. */
const isNamed = ({ kind, size }: LedgerEvent): boolean => kind === 'redeem' && size > 0n

const isCrumb = (event: LedgerEvent): boolean => event.kind === 'redeem' && event.cash <= 10n

/** The USD that an event took from its trader's pocket. */
function spent(event: LedgerEvent): bigint {
  if (event.kind === 'buy') return event.cash + event.fee
  if (event.kind === 'sell') return event.fee - event.cash
  if (event.kind === 'split') return event.size
  if (event.kind === 'merge') return -event.size
  if (event.kind === 'redeem' || event.kind === 'transfer_out') return -event.cash
  if (event.kind === 'transfer_in') return event.cash
  if (event.kind === 'convert' && event.index_set !== null) return -BigInt(bitsOf(event.index_set) - 1) * event.size
  return 0n
}

const bitsOf = (set: bigint): number => set.toString(2).replaceAll('0', '').length

/** The shares that an event brought to a position, or took from it, whether they were there or not. */
function sharesMoved(event: LedgerEvent, position: Position, { context }: History): bigint {
  if (event.trader !== position.trader) return 0n
  if (event.kind === 'convert' && event.index_set !== null) {
    const market = context.markets.find((each) => each.market_id === position.market_id)
    if (market?.neg_risk_id !== event.neg_risk_id || market.neg_risk_index === null) return 0n
    const isGiven = (event.index_set >> BigInt(market.neg_risk_index)) % 2n === 1n
    if (isGiven) return position.outcome === 1 ? -event.size : 0n
    return position.outcome === 0 ? event.size : 0n
  }
  if (event.market_id !== position.market_id) return 0n
  if (event.kind === 'split') return event.size
  if (event.kind === 'merge' || (isNamed(event) && event.outcome === -1)) return -event.size
  if (event.outcome !== position.outcome || event.kind === 'resolution') return 0n
  return event.kind === 'buy' || event.kind === 'transfer_in' ? event.size : -event.size
}
