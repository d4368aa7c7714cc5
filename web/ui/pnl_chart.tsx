import { useMemo } from 'preact/hooks'

import type { PnlDay } from '#web/client/details.ts'

import { Chart } from './chart.tsx'
import { DataTable, type Column } from './data_table.tsx'
import { Pnl, pnlText, Usd, usdText } from './figure.tsx'
import { momentText } from './moment.tsx'
import type { Series } from './plot_options.ts'

const columns: readonly Column<PnlDay>[] = [
  { name: 'Day', isText: true, cell: ({ day }) => day },
  { name: 'Result', cell: ({ pnl }) => <Pnl value={pnl} /> },
  { name: 'So far', cell: ({ equity }) => <Pnl value={equity} /> },
  { name: 'Below peak', cell: ({ drawdown }) => <Usd value={drawdown} /> },
]

const orNone = (text: (value: number) => string) => (value: number | null) => (value === null ? '–' : text(value))

/** The realized result over time, with its fall from the peak. */
export function PnlChart({ days }: { days: readonly PnlDay[] }) {
  const { times, series } = useMemo(() => drawn(days), [days])
  const last = days.at(-1)
  if (last === undefined) return <p class="empty">No result yet: it begins with the first closed market or sale.</p>
  return (
    <Chart
      label={`Realized profit and loss by day, ${pnlText(last.equity)} on ${last.day}`}
      times={times}
      series={series}
      timeText={(time_s) => momentText(new Date(time_s * 1_000).toISOString(), 'date')}
    >
      <DataTable
        caption="Profit and loss by day"
        columns={columns}
        rows={days.toReversed()}
        keyOf={({ day }) => day}
        empty={null}
      />
    </Chart>
  )
}

function drawn(days: readonly PnlDay[]): { times: number[]; series: Series[] } {
  const times = days.map(({ day }) => Date.parse(day) / 1_000)
  return {
    times,
    series: [
      {
        name: 'PnL',
        tone: 'accent',
        kind: 'area',
        scale: 'usd',
        text: orNone(pnlText),
        values: days.map(({ equity }) => equity),
      },
      {
        name: 'Below peak',
        tone: 'loss',
        kind: 'line',
        scale: 'usd',
        text: orNone(usdText),
        values: days.map(({ drawdown }) => (drawdown === 0 ? 0 : -drawdown)),
      },
    ],
  }
}
