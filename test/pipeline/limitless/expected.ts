import type { Truth } from '#sim/markets/true_ledger.ts'

/** The figures of a trader that the API serves for a range. */
export type Expected = { pnl: number; win_rate: number }

/** The true figures as the API rounds them: cents half away from zero, ratios to six places. */
export function expectedOf(row: Truth | undefined, range: '30d' | '90d' | 'all'): Expected {
  if (row === undefined) throw new Error('the API lists a wallet that the world does not know')
  const millionths = row.pnl[range]
  const closed = row.closed[range]
  return {
    pnl: (Number(centsOf(millionths)) / 100) * (millionths < 0n ? -1 : 1) + 0,
    win_rate: closed === 0 ? 0 : Number((row.won[range] / closed).toFixed(6)),
  }
}

/** Millionths of a dollar as whole cents, without the sign. */
const centsOf = (millionths: bigint): bigint => {
  const size = millionths < 0n ? -millionths : millionths
  return (size + 5_000n) / 10_000n
}
