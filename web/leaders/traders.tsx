import { useState } from 'preact/hooks'

import { pathOf, readTraders } from '#web/client/figures.ts'
import { Choices } from '#web/ui/choices.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { step } from '#web/ui/list_foot.tsx'
import { PagedTable } from '#web/ui/paged_table.tsx'
import { useAnswer } from '#web/ui/use_answer.ts'
import { useQuery } from '#web/ui/use_query.ts'

import { traderColumns } from './trader_columns.tsx'

const presets = { sort: 'clv', range: '30d' }
const sorts = { clv: 'Closing line value', pnl: 'PnL', win_rate: 'Win rate' }
const sortColumns: Record<string, string> = { clv: 'CLV', pnl: 'PnL', win_rate: 'Won' }
const ranges = { '30d': '30 days', '90d': '90 days', all: 'All time' }

/** The page `/traders`: the leaderboard of traders of prediction markets. */
export function Traders() {
  const page = useQuery(presets)
  const { sort, range } = page.query
  const [limit, setLimit] = useState(step)
  const load = useAnswer(readTraders, { sort, range, limit: String(limit) })
  return (
    <Frame
      title="Traders"
      isNarrow={false}
      asOf={load.data?.asOf ?? null}
      about="Addresses with a complete history on prediction markets. Closing line value tells skill from luck: it compares the prices paid with the last price before the event."
    >
      <div class="controls">
        <Choices label="Order" name="sort" values={sorts} page={page} />
        <Choices label="Period" name="range" values={ranges} page={page} />
      </div>
      <PagedTable
        load={load}
        caption={`Traders by ${sorts[sort as keyof typeof sorts] ?? sort}`}
        columns={traderColumns}
        keyOf={({ wallet }) => wallet}
        sortedBy={sortColumns[sort]}
        empty={
          <p>
            {sort === 'clv'
              ? 'No closing line value is proved yet: it needs 200 resolved markets with trusted closes. '
              : 'No trader has enough closed markets in this period. A longer period may have some. '}
            {sort === 'clv' && <a href={page.hrefWith({ sort: 'pnl' })}>The same traders by PnL</a>}
          </p>
        }
        noun="trader"
        path={pathOf('/trader-ranks', { sort, range })}
        showMore={() => setLimit(limit + step)}
      />
    </Frame>
  )
}
