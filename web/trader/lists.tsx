import { useState } from 'preact/hooks'

import {
  readTraderFills,
  readTraderMarkets,
  readTraderPositions,
  type Position,
  type TraderFill,
  type TraderMarket,
} from '#web/client/details.ts'
import { pathOf } from '#web/client/figures.ts'
import { marketHref } from '#web/leaders/address.tsx'
import { Choices } from '#web/ui/choices.tsx'
import type { Column } from '#web/ui/data_table.tsx'
import { Amount, Percent, Pnl, Usd } from '#web/ui/figure.tsx'
import { ListPanel } from '#web/ui/list_panel.tsx'
import { Moment } from '#web/ui/moment.tsx'
import { PagedTable } from '#web/ui/paged_table.tsx'
import { Panel } from '#web/ui/panel.tsx'
import { TxLink } from '#web/ui/tx_link.tsx'
import { useAnswer } from '#web/ui/use_answer.ts'
import type { PageQuery } from '#web/ui/use_query.ts'

const question = <T extends { market_id: string; question: string; outcome?: string }>(): Column<T> => ({
  name: 'Market',
  isText: true,
  cell: ({ market_id, question: text, outcome }) => (
    <span class="question">
      <a href={marketHref(market_id)}>{text}</a>
      {outcome !== undefined && <span class="soft">{outcome}</span>}
    </span>
  ),
})

const positionColumns: readonly Column<Position>[] = [
  question(),
  { name: 'Shares', isWide: true, cell: ({ size }) => <Amount value={size} /> },
  { name: 'Price', about: 'The odds of the outcome', cell: ({ price }) => <Percent value={price} /> },
  { name: 'Cost', isWide: true, cell: ({ cost }) => <Usd value={cost} /> },
  { name: 'Value', cell: ({ value }) => <Usd value={value} /> },
  {
    name: 'Gain',
    about: 'The value above the cost',
    cell: ({ value, cost }) => <Pnl value={value === null ? null : value - cost} />,
  },
]

/** The shares that the trader holds now. */
export function Positions({ address }: { address: string }) {
  const { data, error } = useAnswer(readTraderPositions, { address, limit: '50' })
  return (
    <ListPanel
      title="Positions"
      about="Shares in markets without a resolution, by cost"
      columns={positionColumns}
      rows={data?.body}
      error={error}
      keyOf={({ market_id, outcome }) => `${market_id} ${outcome}`}
      n_expected={4}
      empty={<p>The trader holds no shares now.</p>}
    >
      {data !== null && data.total > data.body.length && <p class="soft">The 50 largest of {data.total}.</p>}
    </ListPanel>
  )
}

const marketColumns: readonly Column<TraderMarket>[] = [
  question(),
  { name: 'Paid in', isWide: true, cell: ({ cost }) => <Usd value={cost} /> },
  { name: 'Result', about: 'Realized in the market', cell: ({ pnl }) => <Pnl value={pnl} /> },
  {
    name: 'Closed',
    isWide: true,
    cell: ({ closed_at }) =>
      closed_at === null ? <span class="soft">open</span> : <Moment at={closed_at} format="date" />,
  },
]

const statuses = { closed: 'Closed', open: 'Open', all: 'All' }
const step = 25

/** The result in each market, closed ones first. */
export function Markets<T extends { status: string }>({ address, page }: { address: string; page: PageQuery<T> }) {
  const { status } = page.query
  const [limit, setLimit] = useState(step)
  const load = useAnswer(readTraderMarkets, { address, status, limit: String(limit) })
  return (
    <Panel
      title="Markets"
      about="By the last trade"
      aside={<Choices label="Status of the markets" name="status" values={statuses} page={page} />}
    >
      <PagedTable
        load={load}
        caption="Results by market"
        columns={marketColumns}
        keyOf={({ market_id }) => market_id}
        empty={<p>No such market. Other choices above may have some.</p>}
        noun="market"
        path={pathOf('/trader-markets', { address, status })}
        showMore={() => setLimit(limit + 100)}
      />
    </Panel>
  )
}

const fillColumns: readonly Column<TraderFill>[] = [
  { name: 'Time', isText: true, isWide: true, cell: ({ timestamp }) => <Moment at={timestamp} /> },
  question(),
  {
    name: 'Side',
    isText: true,
    cell: ({ side }) => <span class={side === 'buy' ? 'gain' : 'loss'}>{side}</span>,
  },
  { name: 'Price', cell: ({ price }) => <Percent value={price} /> },
  { name: 'Shares', isWide: true, cell: ({ size }) => <Amount value={size} /> },
  { name: 'Cash', cell: ({ cash }) => <Usd value={cash} /> },
  { name: 'Proof', isWide: true, cell: ({ tx_url }) => <TxLink url={tx_url} /> },
]

/** The last fills, each with its transaction. */
export function Fills({ address }: { address: string }) {
  const { data, error } = useAnswer(readTraderFills, { address, limit: '20' })
  return (
    <ListPanel
      title="Last fills"
      about="Of 30 days, with the transaction of each"
      columns={fillColumns}
      rows={data?.body}
      error={error}
      keyOf={({ rank }) => String(rank)}
      n_expected={5}
      empty={<p>No trade within 30 days.</p>}
    />
  )
}
