import type { Fill, Market } from './closes.ts'
import type { Style } from './population.ts'

/*
 * Read from the specification, where it leaves something open:
 *  1. All fills of a trader count, whatever their closes, but those of a transaction and market in which the trader is
 *     maker and taker.
 *  2. Shares of the mean are rounded to six places, halves up; the role is by exact ones.
 */

/** How each trader gets its fills. */
export function stylesOf(fills: Fill[], markets: Market[]): ReadonlyMap<string, Style> {
  const outcomes = new Map(markets.map(({ market, n_outcomes }) => [market, n_outcomes]))
  const traders = [...new Set(fills.map(({ trader }) => trader))]
  return new Map(
    traders.map((trader) => [
      trader,
      styleOf(
        fills.filter((each) => each.trader === trader && !isOwnMatch(each, fills)),
        (market) => outcomes.get(market) ?? 0,
      ),
    ]),
  )
}

const isOwnMatch = (fill: Fill, fills: Fill[]): boolean =>
  ['maker', 'taker'].every((role) =>
    fills.some(
      (each) => each.trader === fill.trader && each.tx === fill.tx && each.market === fill.market && each.role === role,
    ),
  )

function styleOf(fills: Fill[], outcomesOf: (market: string) => number): Style {
  const markets = [...new Set(fills.map(({ market }) => market))].map((market) =>
    fills
      .filter((each) => each.market === market)
      .map(({ side, outcome, size }) =>
        (side === 'buy') === (outcomesOf(market) !== 2 || outcome === 0) ? size : -size,
      ),
  )
  const n_both = markets.filter((ups) => ups.some((up) => up > 0n) && ups.some((up) => up < 0n)).length
  const net = total(markets.map((ups) => abs(total(ups))))
  const turnover = total(markets.flatMap((ups) => ups.map(abs)))
  const known = total(fills.filter(({ role }) => role !== null).map(({ cash }) => cash))
  const made = total(fills.filter(({ role }) => role === 'maker').map(({ cash }) => cash))
  const isBoth = 2 * n_both >= markets.length && markets.length > 0
  const isMaker = known > 0n ? 10n * made >= 7n * known : 5n * net <= turnover
  const isPoster = known > 0n && 2n * made >= known
  return {
    role: isBoth && isMaker ? 'market_maker' : isPoster ? 'poster' : 'taker',
    both_sides_share: sixPlaces(n_both, markets.length),
    net_share: sixPlaces(Number(net), Number(turnover)),
  }
}

const sixPlaces = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((1e6 * part) / whole) / 1e6)
const abs = (n: bigint): bigint => (n < 0n ? -n : n)
const total = (terms: bigint[]): bigint => terms.reduce((sum, term) => sum + term, 0n)
