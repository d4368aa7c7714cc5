import { useMemo } from 'preact/hooks'

import type { MarketHour } from '#web/client/market_details.ts'
import { Chart } from '#web/ui/chart.tsx'
import { DataTable, type Column } from '#web/ui/data_table.tsx'
import { Percent, percentText, Usd, usdText } from '#web/ui/figure.tsx'
import { Moment, momentText } from '#web/ui/moment.tsx'
import type { Series } from '#web/ui/plot_options.ts'

const columns: readonly Column<MarketHour>[] = [
  { name: 'Hour', isText: true, cell: ({ timestamp }) => <Moment at={timestamp} /> },
  { name: 'Yes', cell: ({ yes_price }) => <Percent value={yes_price} /> },
  { name: 'Bid', isWide: true, cell: ({ bid }) => <Percent value={bid} /> },
  { name: 'Ask', isWide: true, cell: ({ ask }) => <Percent value={ask} /> },
  { name: 'Volume', cell: ({ volume }) => <Usd value={volume} /> },
]

/** The odds of YES over time, and the volume of each hour. */
export function OddsChart({ hours }: { hours: readonly MarketHour[] }) {
  const { times, series } = useMemo(() => drawn(hours), [hours])
  const last = hours.findLast(({ yes_price }) => yes_price !== null)
  if (last === undefined) return <p class="empty">No odds and no trade within 30 days.</p>
  return (
    <Chart
      label={`Odds of YES by the hour, ${percentText(last.yes_price ?? 0)} at the end`}
      times={times}
      series={series}
      timeText={(time_s) => momentText(new Date(time_s * 1_000).toISOString(), 'full')}
    >
      <DataTable
        caption="Odds and volume by hour"
        columns={columns}
        rows={hours.toReversed()}
        keyOf={({ timestamp }) => timestamp}
        empty={null}
      />
    </Chart>
  )
}

function drawn(hours: readonly MarketHour[]): { times: number[]; series: Series[] } {
  return {
    times: hours.map(({ timestamp }) => Date.parse(timestamp) / 1_000),
    series: [
      {
        name: 'Volume',
        tone: 'bar',
        kind: 'bars',
        scale: 'volume',
        text: (value) => (value === null ? '–' : usdText(value)),
        values: hours.map(({ volume }) => volume),
      },
      {
        name: 'Yes',
        tone: 'accent',
        kind: 'line',
        scale: 'odds',
        bounds: [0, 1],
        text: (value) => (value === null ? '–' : percentText(value, 0)),
        values: hours.map(({ yes_price }) => yes_price),
      },
    ],
  }
}
