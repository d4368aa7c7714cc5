import { useCallback, useState } from 'preact/hooks'

import { pathOf, readCoverage, readMarkets } from '#web/client/figures.ts'
import { Choices } from '#web/ui/choices.tsx'
import { DataTable } from '#web/ui/data_table.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { ListFoot, step } from '#web/ui/list_foot.tsx'
import { Failure } from '#web/ui/notice.tsx'
import { useLive } from '#web/ui/use_live.ts'
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
  const { query, hrefWith, change } = useQuery(presets)
  const { words, platform, status } = query
  const [limit, setLimit] = useState(step)
  const read = useCallback(
    () => readMarkets({ words, platform, status, limit: String(limit) }),
    [words, platform, status, limit],
  )
  const { data, error } = useLive(read)
  const { data: venues } = useLoad(readVenues)
  const choices = { all: 'All venues', ...Object.fromEntries((venues ?? []).map((name) => [name, name])) }
  return (
    <Frame
      title={words === '' ? 'Markets' : `Markets with “${words}”`}
      isNarrow={false}
      asOf={data?.asOf ?? null}
      about="Prediction markets by the volume of the last 24 hours."
    >
      <div class="controls">
        <Choices
          label="Venue"
          values={choices}
          value={platform}
          hrefOf={(value) => hrefWith({ platform: value })}
          choose={(value) => change({ platform: value })}
        />
        <Choices
          label="Status"
          values={statuses}
          value={status}
          hrefOf={(value) => hrefWith({ status: value })}
          choose={(value) => change({ status: value })}
        />
      </div>
      <Failure message={error} />
      <DataTable
        caption="Markets by volume"
        columns={marketColumns}
        rows={data?.body ?? null}
        keyOf={({ id }) => id}
        n_expected={20}
        sortedBy="24 h volume"
        empty={
          <p>
            No market has these words. <a href="markets?status=all">All markets</a> include closed ones.
          </p>
        }
      />
      {data !== null && data.total > 0 && (
        <ListFoot
          total={data.total}
          n_shown={data.body.length}
          noun="market"
          path={pathOf('/markets', { words, platform, status })}
          showMore={() => setLimit(limit + step)}
        />
      )}
    </Frame>
  )
}
