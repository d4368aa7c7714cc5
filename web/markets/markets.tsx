import { useState } from 'preact/hooks'

import { pathOf, readCoverage, readMarkets } from '#web/client/figures.ts'
import { Choices } from '#web/ui/choices.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { step } from '#web/ui/list_foot.tsx'
import { PagedTable } from '#web/ui/paged_table.tsx'
import { useAnswer } from '#web/ui/use_answer.ts'
import { useLoad } from '#web/ui/use_load.ts'
import { useQuery } from '#web/ui/use_query.ts'

import { marketColumns } from './market_columns.tsx'

const presets = { words: '', platform: 'all', status: 'open' }
const statuses = { open: 'Open', closed: 'Closed', all: 'All' }

/** The venues with stored markets. */
async function readVenues(): Promise<string[]> {
  const { body } = await readCoverage()
  return body.filter(({ kind, dataset }) => kind === 'venue' && dataset === 'markets').map(({ part }) => part)
}

/** The page `/markets`: the markets of all venues, with search. */
export function Markets() {
  const page = useQuery(presets)
  const { words, platform, status } = page.query
  const [limit, setLimit] = useState(step)
  const load = useAnswer(readMarkets, { words, platform, status, limit: String(limit) })
  const { data: venues } = useLoad(readVenues)
  const choices = { all: 'All venues', ...Object.fromEntries((venues ?? []).map((name) => [name, name])) }
  return (
    <Frame
      title={words === '' ? 'Markets' : `Markets with “${words}”`}
      isNarrow={false}
      asOf={load.data?.asOf ?? null}
      about="Prediction markets by the volume of the last 24 hours."
    >
      <div class="controls">
        <Choices label="Venue" name="platform" values={choices} page={page} />
        <Choices label="Status" name="status" values={statuses} page={page} />
      </div>
      <PagedTable
        load={load}
        caption="Markets by volume"
        columns={marketColumns}
        keyOf={({ id }) => id}
        sortedBy="24 h volume"
        empty={
          <p>
            No market has these words. <a href="markets?status=all">All markets</a> include closed ones.
          </p>
        }
        noun="market"
        path={pathOf('/markets', { words, platform, status })}
        showMore={() => setLimit(limit + step)}
      />
    </Frame>
  )
}
