import type { Market } from '#web/client/figures.ts'
import { marketHref } from '#web/leaders/address.tsx'
import type { Column } from '#web/ui/data_table.tsx'
import { percentText, Usd } from '#web/ui/figure.tsx'

/** The odds of a market: a number and a bar of the same length. */
export function Odds({ value }: { value: number }) {
  return (
    <span class="odds">
      <data class="figure" value={value} title={String(value)}>
        {percentText(value)}
      </data>
      <span class="bar" aria-hidden="true">
        <span style={{ width: `${value * 100}%` }} />
      </span>
    </span>
  )
}

export const marketColumns: readonly Column<Market>[] = [
  {
    name: 'Market',
    isText: true,
    cell: ({ id, question, platform, status }) => (
      <span class="question">
        <a href={marketHref(id)}>{question}</a>
        <span class="soft">
          {platform}
          {status === 'closed' && ', closed'}
        </span>
      </span>
    ),
  },
  { name: 'Yes', about: 'The implied probability of YES', cell: (row) => <Odds value={row.yes_price} /> },
  { name: '24 h volume', about: 'USD traded in the last 24 hours', cell: (row) => <Usd value={row.volume_24h} /> },
]
