import { useCallback } from 'preact/hooks'

import { readMarkets, type Market } from '#web/client/figures.ts'
import {
  readMarketFills,
  readMarketHolders,
  type Holder,
  type MarketFill,
  type Outcome,
} from '#web/client/market_details.ts'
import { Address, traderHref } from '#web/leaders/address.tsx'
import { Tag } from '#web/leaders/tag.tsx'
import { marketColumns } from '#web/markets/market_columns.tsx'
import { DataTable, type Column } from '#web/ui/data_table.tsx'
import { Amount, Percent, Usd } from '#web/ui/figure.tsx'
import { ListPanel } from '#web/ui/list_panel.tsx'
import { Ago } from '#web/ui/moment.tsx'
import { Panel } from '#web/ui/panel.tsx'
import { TxLink } from '#web/ui/tx_link.tsx'
import { useAnswer } from '#web/ui/use_answer.ts'
import { useLoad } from '#web/ui/use_load.ts'

const fillColumns = (asOf: string | null): readonly Column<MarketFill>[] => [
  { name: 'Time', isText: true, cell: ({ timestamp }) => <Ago at={timestamp} asOf={asOf} /> },
  {
    name: 'Trade',
    isText: true,
    cell: ({ side, outcome }) => (
      <>
        <span class={side === 'buy' ? 'gain' : 'loss'}>{side}</span> {outcome}
      </>
    ),
  },
  {
    name: 'Taker',
    isText: true,
    isWide: true,
    cell: ({ wallet }) =>
      wallet === null ? <span class="soft">–</span> : <Address address={wallet} href={traderHref(wallet)} />,
  },
  { name: 'Price', cell: ({ price }) => <Percent value={price} /> },
  { name: 'Shares', isWide: true, cell: ({ size }) => <Amount value={size} /> },
  { name: 'Cash', cell: ({ cash }) => <Usd value={cash} /> },
  { name: 'Proof', isWide: true, cell: ({ tx_url }) => <TxLink url={tx_url} /> },
]

/** The last matches, each with its transaction. */
export function Fills({ id }: { id: string }) {
  const { data, error } = useAnswer(readMarketFills, { id, limit: '25' })
  return (
    <ListPanel
      title="Last trades"
      about="Each match once, by its taker"
      columns={fillColumns(data?.asOf ?? null)}
      rows={data?.body}
      error={error}
      keyOf={({ rank }) => String(rank)}
      empty={<p>No trade within 30 days is stored.</p>}
    />
  )
}

const holderColumns = (labels: ReadonlyMap<number, string>): readonly Column<Holder>[] => [
  {
    name: 'Holder',
    isText: true,
    cell: ({ wallet, is_proven }) => (
      <>
        <Address address={wallet} href={traderHref(wallet)} /> {is_proven && <Tag name="proven" />}
      </>
    ),
  },
  { name: 'Style', isText: true, isWide: true, cell: ({ archetype }) => <Tag name={archetype} /> },
  { name: 'Outcome', isText: true, cell: ({ outcome }) => labels.get(outcome) ?? outcome },
  { name: 'Shares', cell: ({ size }) => <Amount value={size} /> },
]

/** The largest holders of all outcomes. */
export function Holders({ id, outcomes }: { id: string; outcomes: readonly Outcome[] }) {
  const { data, error } = useAnswer(readMarketHolders, { id })
  const labels = new Map(outcomes.map(({ outcome, label }) => [outcome, label]))
  const rows = data?.body.toSorted((a, b) => b.size - a.size).slice(0, 15)
  return (
    <ListPanel
      title="Holders"
      about="The largest known accounts"
      columns={holderColumns(labels)}
      rows={rows}
      error={error}
      keyOf={({ outcome, rank }) => `${outcome} ${rank}`}
      empty={<p>No holder is known. A venue without accounts has none.</p>}
    />
  )
}

/** Markets of other venues with the words of the question. */
export function SameElsewhere({ market: { question, platform } }: { market: Market }) {
  const read = useCallback(() => readMarkets({ words: question.slice(0, 100), status: 'all', limit: '20' }), [question])
  const { data } = useLoad(read)
  const others = (data?.body ?? []).filter((row) => row.platform !== platform)
  if (others.length === 0) return null
  return (
    <Panel title="On other venues" about="Markets with the same words">
      <DataTable
        caption="The same question on other venues"
        columns={marketColumns}
        rows={others}
        keyOf={({ id }) => id}
        empty={null}
      />
    </Panel>
  )
}
