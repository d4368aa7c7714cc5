import { useState } from 'preact/hooks'

import {
  readWalletHoldings,
  readWalletTokens,
  readWalletTrades,
  type WalletHolding,
  type WalletToken,
  type WalletTrade,
} from '#web/client/details.ts'
import { pathOf } from '#web/client/figures.ts'
import type { Column } from '#web/ui/data_table.tsx'
import { Amount, Pnl, shortAddress, Usd } from '#web/ui/figure.tsx'
import { ListPanel } from '#web/ui/list_panel.tsx'
import { Ago, Moment } from '#web/ui/moment.tsx'
import { PagedTable } from '#web/ui/paged_table.tsx'
import { Panel } from '#web/ui/panel.tsx'
import { TxLink } from '#web/ui/tx_link.tsx'
import { useAnswer } from '#web/ui/use_answer.ts'

type Place = { address: string; chain: string }

/** A token by its symbol, which any contract may choose: its title has the contract. */
function Token({ symbol, token }: { symbol: string | null; token: string }) {
  return (
    <span class="token" title={token}>
      {symbol ?? (token === 'native' ? 'native coin' : shortAddress(token))}
    </span>
  )
}

const holdingColumns = (asOf: string | null): readonly Column<WalletHolding>[] => [
  { name: 'Token', isText: true, cell: ({ token, contract }) => <Token symbol={token} token={contract} /> },
  { name: 'Amount', isWide: true, cell: ({ amount }) => <Amount value={amount} /> },
  { name: 'Value', cell: ({ usd_value }) => <Usd value={usd_value} /> },
  { name: 'Seen', cell: ({ seen_at }) => <Ago at={seen_at} asOf={asOf} /> },
]

/** The last known holdings. */
export function Holdings({ address, chain }: Place) {
  const { data, error } = useAnswer(readWalletHoldings, { address, chain, limit: '12' })
  return (
    <ListPanel
      title="Holdings"
      about="When they were last seen, at the last known prices"
      columns={holdingColumns(data?.asOf ?? null)}
      rows={data?.body}
      error={error}
      keyOf={({ contract }) => contract}
      n_expected={5}
      empty={<p>No holding with a price is known.</p>}
    />
  )
}

const tradeColumns: readonly Column<WalletTrade>[] = [
  { name: 'Time', isText: true, isWide: true, cell: ({ timestamp }) => <Moment at={timestamp} /> },
  {
    name: 'Sold',
    cell: ({ sold_amount, sold_symbol, sold_token }) => (
      <>
        <Amount value={sold_amount} /> <Token symbol={sold_symbol} token={sold_token} />
      </>
    ),
  },
  {
    name: 'Bought',
    cell: ({ bought_amount, bought_symbol, bought_token }) => (
      <>
        <Amount value={bought_amount} /> <Token symbol={bought_symbol} token={bought_token} />
      </>
    ),
  },
  { name: 'Value', isWide: true, cell: ({ value }) => <Usd value={value} /> },
  { name: 'Result', about: 'Of a sale, over a reliable price', cell: ({ pnl }) => <Pnl value={pnl} /> },
  { name: 'By', isText: true, isWide: true, cell: ({ protocol }) => protocol.replaceAll('_', ' ') },
  { name: 'Proof', isWide: true, cell: ({ tx_url }) => <TxLink url={tx_url} /> },
]

const step = 20

/** The last trades, each with its transaction. */
export function Trades({ address, chain }: Place) {
  const [limit, setLimit] = useState(step)
  const load = useAnswer(readWalletTrades, { address, chain, limit: String(limit) })
  return (
    <Panel title="Last trades" about="Of 30 days, with the transaction of each">
      <PagedTable
        load={load}
        caption="Last trades"
        columns={tradeColumns}
        keyOf={({ rank }) => String(rank)}
        empty={<p>No trade within 30 days.</p>}
        noun="trade"
        path={pathOf('/wallet-trades', { address, chain })}
        showMore={() => setLimit(limit + 100)}
      />
    </Panel>
  )
}

const tokenColumns: readonly Column<WalletToken>[] = [
  { name: 'Token', isText: true, cell: ({ symbol, token }) => <Token symbol={symbol} token={token} /> },
  { name: 'Bought', isWide: true, cell: ({ bought }) => <Usd value={bought} /> },
  { name: 'Sold', isWide: true, cell: ({ sold }) => <Usd value={sold} /> },
  { name: 'Result', about: 'Realized over a reliable price', cell: (row) => <Pnl value={row.realized_all_time} /> },
  {
    name: 'Unranked',
    about: 'Results without a reliable price',
    isWide: true,
    cell: (row) => <Pnl value={row.unranked_all_time} />,
  },
  { name: 'Last trade', cell: ({ last_at }) => <Moment at={last_at} format="date" /> },
]

/** The result in each token. */
export function Tokens({ address, chain }: Place) {
  const [limit, setLimit] = useState(step)
  const load = useAnswer(readWalletTokens, { address, chain, limit: String(limit) })
  return (
    <Panel title="Tokens" about="By the last trade, with the result of each over all time">
      <PagedTable
        load={load}
        caption="Results by token"
        columns={tokenColumns}
        keyOf={({ token }) => token}
        empty={<p>No token was traded here.</p>}
        noun="token"
        path={pathOf('/wallet-tokens', { address, chain })}
        showMore={() => setLimit(limit + 100)}
      />
    </Panel>
  )
}
