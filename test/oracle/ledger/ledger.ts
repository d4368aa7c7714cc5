import {
  merge,
  migration,
  purchase,
  redeemed,
  redeemedPairs,
  sale,
  split,
  transferIn,
  transferOut,
  type Book,
} from './book.ts'
import { conversion, unknownConversions } from './conversions.ts'
import type { LedgerContext, LedgerEvent, Position, Realization } from './event.ts'
import { redemption, resolution } from './payouts.ts'

/**
 * The prediction-market ledger again, written from its rules alone: one trader and one event at a time, over bigint, in
 * arrays. It is slow on purpose; the ledger that scoring uses is compared with it.
 *
 * Gives realizations by trader in the order they happened, and positions by trader, market and outcome. `after` sees
 * the positions of a trader after each event.
 * Throws on events that the rules do not decide: see `refuseUndecided` and `inOrder`.
 */
export function oracleLedger(
  events: LedgerEvent[],
  context: LedgerContext,
  after: (event: LedgerEvent, positions: readonly Position[]) => void = () => undefined,
): { realizations: Realization[]; positions: Position[] } {
  refuseUndecided(events, context)
  const traders = new Set<string>()
  for (const event of events) if (event.kind !== 'resolution') traders.add(event.trader)

  const realizations: Realization[] = []
  const positions: Position[] = []
  for (const trader of [...traders].sort(byCodeUnit)) {
    const book: Book = { trader, positions: [], realizations: [], payouts: new Map(), unknown: [] }
    for (const event of inOrder(events.filter((each) => each.trader === trader || each.kind === 'resolution'))) {
      enter(book, event, context)
      after(event, book.positions)
    }
    unknownConversions(book, context)
    realizations.push(...book.realizations)
    positions.push(...book.positions.sort((a, b) => byCodeUnit(a.market_id, b.market_id) || a.outcome - b.outcome))
  }
  return { realizations, positions }
}

const phases = {
  buy: 0,
  split: 0,
  transfer_in: 0,
  convert: 1,
  merge: 1,
  migrate: 1,
  sell: 2,
  transfer_out: 3,
  resolution: 4,
  redeem: 5,
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const bySize = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

function compare(a: LedgerEvent, b: LedgerEvent): number {
  return (
    a.ts - b.ts ||
    phases[a.kind] - phases[b.kind] ||
    byCodeUnit(a.tx, b.tx) ||
    byCodeUnit(placeOf(a), placeOf(b)) ||
    outcomeOf(a) - outcomeOf(b) ||
    bySize(a.size, b.size) ||
    bySize(a.cash, b.cash) ||
    a.seq - b.seq
  )
}

/** Migrations come first in their transaction, and redemptions without shares after those of some. */
const placeOf = ({ kind, market_id }: LedgerEvent): string => (kind === 'migrate' ? '' : market_id)
const outcomeOf = ({ kind, outcome, size }: LedgerEvent): number =>
  kind === 'migrate' ? -2 : kind !== 'redeem' ? outcome : size === 0n ? 99 : 0

/** The order of one trader's events. Two that tie must be the same row twice, or the result would hang on the input. */
function inOrder(events: LedgerEvent[]): LedgerEvent[] {
  const sorted = [...events].sort(compare)
  for (const [i, event] of sorted.entries()) {
    const before = sorted[i - 1]
    if (before === undefined || compare(before, event) !== 0 || written(before) === written(event)) continue
    throw new RangeError(
      `Nothing orders ${written(before)} and ${written(event)}: rows that differ need different seq.`,
    )
  }
  return sorted
}

const written = ({
  kind,
  market_id,
  tx,
  seq,
  outcome,
  fee,
  neg_risk_id,
  index_set,
  target,
  payouts,
}: LedgerEvent): string =>
  [kind, market_id, tx, seq, outcome, fee, neg_risk_id, index_set, target?.market_id, target?.outcome, payouts].join(
    ' ',
  )

function refuseUndecided(events: LedgerEvent[], context: LedgerContext): void {
  for (const event of events) {
    const market = context.markets.find((each) => each.market_id === event.market_id)
    const isSized = (event.kind !== 'redeem' || event.outcome >= 0) && event.kind !== 'resolution'
    if (isSized && event.size <= 0n) throw new RangeError(`A ${event.kind} has size ${event.size}: it must be above 0.`)
    if ((event.kind === 'split' || event.kind === 'merge') && market?.n_outcomes !== 2)
      throw new RangeError(
        `A ${event.kind} is in market '${event.market_id}': it must be a given market of 2 outcomes.`,
      )
    if (event.kind === 'resolution' && (market === undefined || event.payouts?.length !== market.n_outcomes))
      throw new RangeError(`A resolution of '${event.market_id}' must pay each outcome of a given market.`)
  }
}

function enter(book: Book, event: LedgerEvent, context: LedgerContext): void {
  switch (event.kind) {
    case 'buy':
      return purchase(book, event)
    case 'sell':
      return sale(book, event)
    case 'split':
      return split(book, event)
    case 'merge':
      return merge(book, event)
    case 'convert':
      return conversion(book, event, context)
    case 'resolution':
      return resolution(book, event)
    case 'redeem':
      if (event.outcome >= 0) return redeemed(book, event)
      return event.size > 0n ? redeemedPairs(book, event) : redemption(book, event)
    case 'transfer_in':
      return transferIn(book, event)
    case 'transfer_out':
      return transferOut(book, event)
    case 'migrate':
      return migration(book, event)
  }
}
