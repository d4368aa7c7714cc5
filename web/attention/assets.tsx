import { readAssets, type Asset } from '#web/client/figures.ts'
import { Choices } from '#web/ui/choices.tsx'
import { DataTable, type Column } from '#web/ui/data_table.tsx'
import { Percent, Points } from '#web/ui/figure.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { counted } from '#web/ui/moment.tsx'
import { Failure } from '#web/ui/notice.tsx'
import { useAnswer } from '#web/ui/use_answer.ts'
import { useQuery } from '#web/ui/use_query.ts'

import { Treemap } from './treemap.tsx'

const presets = { range: '7d' }
const ranges = { '7d': '7 days', '30d': '30 days' }

const columns: readonly Column<Asset>[] = [
  { name: '#', cell: ({ rank }) => rank },
  { name: 'Asset', isText: true, cell: ({ symbol }) => <a href={`asset?symbol=${symbol}`}>{symbol}</a> },
  {
    name: 'Mindshare',
    about: 'Its share of attention',
    cell: ({ mindshare_pct }) => <Percent value={mindshare_pct / 100} />,
  },
  { name: 'Change', about: 'In percentage points', cell: ({ mindshare_delta }) => <Points value={mindshare_delta} /> },
  {
    name: 'Tone',
    about: 'Beside the tone of other assets, at the level of 90 %',
    isText: true,
    cell: ({ sentiment }) => <span class={`tone tone-${sentiment}`}>{sentiment}</span>,
  },
]

/** The page `/assets`: what people talk about. */
export function Assets() {
  const page = useQuery(presets)
  const { range } = page.query
  const { data, error } = useAnswer(readAssets, { range, limit: '1000' })
  const total = data?.total ?? 0
  const named = data?.body.filter(({ mindshare_pct }) => mindshare_pct > 0) ?? (error === null ? null : [])
  return (
    <Frame
      title="Assets"
      isNarrow={false}
      asOf={data?.asOf ?? null}
      about="Mindshare is an asset's share of attention on social platforms and in news. One author, and one text that is posted again and again, count little."
    >
      <div class="controls">
        <Choices label="Period" name="range" values={ranges} page={page} />
        <span class="soft">
          The colour is the change since the period before: green gains a point or more, red loses.
        </span>
      </div>
      <Failure message={error} />
      {named === null ? <span class="skeleton tall" /> : <Treemap assets={named} />}
      <DataTable
        caption="Assets by mindshare"
        columns={columns}
        rows={named}
        keyOf={({ symbol }) => symbol}
        sortedBy="Mindshare"
        empty={<p>No platform was read well enough yet.</p>}
      />
      {named !== null && (
        <p class="soft">
          {counted(total - named.length, 'tracked asset')} had no attention. <a href="docs">/v1/signals</a> lists all of
          them.
        </p>
      )}
    </Frame>
  )
}
