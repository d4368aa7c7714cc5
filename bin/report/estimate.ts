import type { Estimate } from '#activities/index.ts'

import { count, duration } from './progress.ts'

export type SourceEstimate = Estimate & {
  source: string
  /** Sources with due units that this source plans from. Once they are read, more of its units may be due. */
  after: readonly string[]
}

const headings = ['source', 'units', 'requests', 'rows', 'bytes', 'time', 'basis']

/** A table with a line for each source. Several sources also have a total. */
export function describeEstimates(estimates: readonly SourceEstimate[]): string {
  const rows = estimates.map((estimate) => cellsOf(estimate.source, estimate, basisOf(estimate)))
  const total = estimates.reduce(
    (sum, estimate) => ({
      units: sum.units + estimate.units,
      requests: sum.requests + estimate.requests,
      rows: sum.rows + estimate.rows,
      bytes: sum.bytes + estimate.bytes,
      seconds: sum.seconds + estimate.seconds,
    }),
    { units: 0, requests: 0, rows: 0, bytes: 0, seconds: 0 },
  )
  const isOpen = estimates.some(({ after }) => after.length > 0)
  if (estimates.length > 1) rows.push(cellsOf('total', total, isOpen ? 'at least' : ''))
  const table = [headings, ...rows]
  const widths = headings.map((_, n) => Math.max(...table.map((cells) => cells[n]?.length ?? 0)))
  const lines = table.map((cells) =>
    cells
      .map((cell, n) =>
        n > 0 && n < headings.length - 1 ? cell.padStart(widths[n] ?? 0) : cell.padEnd(widths[n] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
  const notes = estimates
    .filter(({ after }) => after.length > 0)
    .map(({ source, after }) => `${source}: more units may be due after ${after.join(', ')} ${isOrAre(after)} read`)
  return [...lines, ...notes, ''].join('\n')
}

const cellsOf = (
  name: string,
  { units, requests, rows, bytes, seconds }: Omit<Estimate, 'basis'>,
  basis: string,
): string[] => [name, count(units), count(requests), count(rows), count(bytes), duration(seconds), basis]

const basisOf = ({ units, basis, after }: SourceEstimate): string => {
  if (units === 0) return after.length > 0 ? 'not known yet' : 'nothing is due'
  const reference = basis === 'measured' ? 'stored units' : 'typical units'
  return after.length > 0 ? `${reference}, at least` : reference
}

const isOrAre = (names: readonly string[]): string => (names.length === 1 ? 'is' : 'are')
