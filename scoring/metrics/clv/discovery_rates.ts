/** What tests of one kind of close say of a trader: the chances of such a mean by luck, and the sample. */
export type Tested = { p_above: number; p_below: number; n_eff: number }

/**
 * The false discovery rates of a trader: the least rate at which the trader is among the discoveries. `q`: of means
 * beyond 0 and the role, `q_below`: below both, both among large samples; `q_wide`: as `q`, among smaller samples too.
 * Null if no kind of the trader has such a sample.
 */
export type Rates = { q: number | null; q_below: number | null; q_wide: number | null }

/** The effective number of clusters of a large sample, and of a smaller one. */
const LARGE = 20
const SMALL = 10
/** The equal weights of whole clusters give a whole number but for rounding. */
const ROUNDING = 1e-9

/**
 * The false discovery rates of all traders by Benjamini and Hochberg, in their order. A trader has a test for each kind
 * of close with a sample. It counts once, by the least chance of its tests times their number.
 */
export function discoveryRates(traders: readonly (readonly Tested[])[]): Rates[] {
  const q = adjust(traders, LARGE, ({ p_above }) => p_above)
  const q_below = adjust(traders, LARGE, ({ p_below }) => p_below)
  const q_wide = adjust(traders, SMALL, ({ p_above }) => p_above)
  return traders.map((_, i) => ({
    q: q.get(i) ?? null,
    q_below: q_below.get(i) ?? null,
    q_wide: q_wide.get(i) ?? null,
  }))
}

function adjust(
  traders: readonly (readonly Tested[])[],
  least: number,
  chanceOf: (test: Tested) => number,
): ReadonlyMap<number, number> {
  const ranked = traders
    .flatMap((tests, i) => {
      const chances = tests.filter(({ n_eff }) => n_eff >= least - ROUNDING).map(chanceOf)
      return chances.length === 0 ? [] : [{ i, p: Math.min(1, chances.length * Math.min(...chances)) }]
    })
    .toSorted((a, b) => a.p - b.p)
  const rates = new Map<number, number>()
  let rate = 1
  for (let rank = ranked.length; rank > 0; rank--) {
    const candidate = ranked[rank - 1]
    if (candidate === undefined) break
    rate = Math.min(rate, (candidate.p * ranked.length) / rank)
    rates.set(candidate.i, rate)
  }
  return rates
}
