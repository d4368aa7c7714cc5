import { readCoverage, type Covered } from '#web/client/figures.ts'
import { DataTable, type Column } from '#web/ui/data_table.tsx'
import { Count, Percent } from '#web/ui/figure.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { Ago, Moment } from '#web/ui/moment.tsx'
import { Failure } from '#web/ui/notice.tsx'
import { Panel } from '#web/ui/panel.tsx'
import { useLive } from '#web/ui/use_live.ts'

const read = () => readCoverage()

/** The kinds of parts, and how each proves that nothing is missing. */
const kinds = {
  venue: ['Venues', 'A read is complete with a proof, such as a cursor at its end or counts that agree.'],
  chain: ['Chains', 'A range of blocks is complete with a proof, such as blooms or a second endpoint that agree.'],
  social: ['Social and news', 'A reading covers the time since the one before it, if the lists overlap.'],
} as const

/** The page `/coverage`: what is stored, how far, how complete and how fresh. */
export function Coverage() {
  const { data, error } = useLive(read)
  return (
    <Frame
      title="Coverage"
      isNarrow={false}
      asOf={data?.asOf ?? null}
      about="Every figure rests on these reads. A read without a gap carries a proof that nothing is missing; the others are counted here, and never shown as zero."
    >
      <Failure message={error} />
      {Object.entries(kinds).map(([kind, [title, proof]]) => (
        <Panel key={kind} title={title} about={proof} more={{ href: 'docs/datasets.md', text: 'Datasets' }}>
          <DataTable
            caption={`Coverage of ${title.toLowerCase()}`}
            columns={columns(data?.asOf ?? null)}
            rows={data?.body.filter((row) => row.kind === kind) ?? (error === null ? null : [])}
            keyOf={({ part, dataset }) => `${part} ${dataset}`}
            n_expected={5}
            empty={<p>Nothing of this kind is read here.</p>}
          />
        </Panel>
      ))}
    </Frame>
  )
}

const columns = (asOf: string | null): readonly Column<Covered>[] => [
  {
    name: 'Facts',
    isText: true,
    cell: ({ part, dataset }) => (
      <span class="question">
        {part} <span class="soft">{dataset.replaceAll('_', ' ')}</span>
      </span>
    ),
  },
  { name: 'Rows', isWide: true, cell: ({ n_rows }) => <Count value={n_rows} /> },
  {
    name: 'Since',
    isWide: true,
    cell: ({ from_at, n_rows }) =>
      from_at === null && n_rows === 0 ? (
        <span class="soft">–</span>
      ) : from_at === null ? (
        <span class="soft">always</span>
      ) : (
        <Moment at={from_at} format="date" />
      ),
  },
  {
    name: 'Read to',
    about: 'The instant up to which was read',
    cell: ({ to_at }) => (to_at === null ? <span class="soft">–</span> : <Ago at={to_at} asOf={asOf} />),
  },
  {
    name: 'Proved',
    about: 'The share of reads that are proved complete',
    cell: (row) => <Percent value={provedShare(row)} />,
  },
  { name: 'Gaps', isWide: true, cell: ({ n_incomplete }) => <Count value={n_incomplete} /> },
]

const provedShare = ({ n_complete, n_head, n_incomplete }: Covered): number | null => {
  const n_units = n_complete + n_head + n_incomplete
  return n_units === 0 ? null : (n_complete + n_head) / n_units
}
