import { readCoverage, type Covered } from '#web/client/figures.ts'
import { Count, Percent } from '#web/ui/figure.tsx'
import { Moment } from '#web/ui/moment.tsx'
import { Failure } from '#web/ui/notice.tsx'
import { useLive } from '#web/ui/use_live.ts'

const read = () => readCoverage()

/** What the figures rest on, in one line. */
export function CoverageStrip() {
  const { data, error } = useLive(read)
  if (data === null) return <Failure message={error} />
  const { body, asOf } = data
  const n_units = sum(body, (row) => row.n_complete + row.n_head + row.n_incomplete)
  const n_proved = sum(body, (row) => row.n_complete + row.n_head)
  return (
    <dl class="strip" aria-label="Coverage">
      <Fact name="venues" value={<Count value={partsOf(body, 'venue')} />} />
      <Fact name="chains" value={<Count value={partsOf(body, 'chain')} />} />
      <Fact name="social sources" value={<Count value={partsOf(body, 'social')} />} />
      <Fact name="stored facts" value={<Count value={sum(body, (row) => row.n_rows)} />} />
      {n_units > 0 && <Fact name="of reads without a gap" value={<Percent value={n_proved / n_units} />} />}
      {asOf !== null && <Fact name="as of" value={<Moment at={asOf} />} />}
    </dl>
  )
}

const partsOf = (rows: readonly Covered[], kind: string): number =>
  new Set(rows.filter((row) => row.kind === kind && row.n_rows > 0).map(({ part }) => part)).size

const sum = (rows: readonly Covered[], figure: (row: Covered) => number): number =>
  rows.reduce((total, row) => total + figure(row), 0)

function Fact({ name, value }: { name: string; value: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
