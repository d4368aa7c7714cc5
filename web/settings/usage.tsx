import { useCallback, useId, useState } from 'preact/hooks'

import { readUsage, usageRanges, type Use, type UsageRange } from '#web/client/account.ts'
import { count, counted, momentText } from '#web/ui/moment.tsx'
import { Failure } from '#web/ui/notice.tsx'
import { useLoad } from '#web/ui/use_load.ts'

import { UsageChart } from './usage_chart.tsx'

/** The requests of the account over time, as a chart and as a table. */
export function Usage() {
  const id = useId()
  const [range, setRange] = useState<UsageRange>('24h')
  const { data: usage, error } = useLoad(useCallback(async () => ({ range, uses: await readUsage(range) }), [range]))
  return (
    <section aria-labelledby="use">
      <h3 id="use">Use</h3>
      <div class="field">
        <label for={id}>Period</label>
        <select
          id={id}
          value={range}
          onChange={({ currentTarget: { value } }) => {
            if (isRange(value)) setRange(value)
          }}
        >
          {Object.entries(usageRanges).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <Failure message={error} />
      {usage !== null && <Shown {...usage} />}
    </section>
  )
}

/** The uses of a range. While those of another range are read, these stay. */
function Shown({ range, uses }: { range: UsageRange; uses: readonly Use[] }) {
  const format = range === '24h' ? 'time' : 'day'
  return (
    <>
      <UsageChart uses={uses} label={summaryOf(uses)} textOf={({ from }) => momentText(from, format)} />
      <UsageTable uses={uses} step={range === '24h' ? 'Hour' : 'Day (UTC)'} format={format} />
    </>
  )
}

const isRange = (value: string): value is UsageRange => value in usageRanges

const sum = (numbers: number[]): number => numbers.reduce((total, n) => total + n, 0)

/** The chart in words. */
const summaryOf = (uses: readonly Use[]): string =>
  `${counted(sum(uses.map(({ requests }) => requests)), 'request')}, ` +
  `${count(sum(uses.map(({ limited }) => limited)))} of them refused by the rate limit`

type UsageTableProps = { uses: readonly Use[]; step: string; format: 'time' | 'day' }

function UsageTable({ uses, step, format }: UsageTableProps) {
  return (
    <details>
      <summary>Use as a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{step}</th>
            <th scope="col">Requests</th>
            <th scope="col">Refused</th>
          </tr>
        </thead>
        <tbody>
          {uses.map(({ from, requests, limited }) => (
            <tr key={from}>
              <th scope="row">{momentText(from, format)}</th>
              <td>{count(requests)}</td>
              <td>{count(limited)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
