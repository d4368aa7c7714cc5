import { useState } from 'preact/hooks'

import { pathOf, readCoverage, readWallets } from '#web/client/figures.ts'
import { Choices } from '#web/ui/choices.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { step } from '#web/ui/list_foot.tsx'
import { PagedTable } from '#web/ui/paged_table.tsx'
import { useAnswer } from '#web/ui/use_answer.ts'
import { useLoad } from '#web/ui/use_load.ts'
import { useQuery } from '#web/ui/use_query.ts'

import { walletColumns } from './wallet_columns.tsx'

const presets = { sort: 'pnl', range: '30d', chain: 'all' }
const sorts = { pnl: 'PnL', volume: 'Volume', win_rate: 'Win rate' }
const sortColumns: Record<string, string> = { pnl: 'PnL', volume: 'Volume', win_rate: 'Won' }
const ranges = { '7d': '7 days', '30d': '30 days', '90d': '90 days' }

/** The chains with stored trades. */
async function readChains(): Promise<string[]> {
  const { body } = await readCoverage()
  return [...new Set(body.filter(({ kind, n_rows }) => kind === 'chain' && n_rows > 0).map(({ part }) => part))]
}

/** The page `/wallets`: the leaderboard of wallets of chains. */
export function Wallets() {
  const page = useQuery(presets)
  const { sort, range, chain } = page.query
  const [limit, setLimit] = useState(step)
  const load = useAnswer(readWallets, { sort, range, chain, limit: String(limit) })
  const { data: chains } = useLoad(readChains)
  const choices = { all: 'All chains', ...Object.fromEntries((chains ?? [chain]).map((name) => [name, name])) }
  return (
    <Frame
      title="Wallets"
      isNarrow={false}
      asOf={load.data?.asOf ?? null}
      about="Addresses that trade tokens on chains. Profit is realized by sales, first in, first out, with gas, over tokens with a reliable price."
    >
      <div class="controls">
        <Choices label="Order" name="sort" values={sorts} page={page} />
        <Choices label="Period" name="range" values={ranges} page={page} />
        <Choices label="Chain" name="chain" values={choices} page={page} />
      </div>
      <PagedTable
        load={load}
        caption={`Wallets by ${sorts[sort as keyof typeof sorts] ?? sort}`}
        columns={walletColumns}
        keyOf={(row) => `${row.address} ${row.chain}`}
        sortedBy={sortColumns[sort]}
        empty={<p>No wallet has enough trades and sold tokens here. A longer period or all chains may have some.</p>}
        noun="wallet"
        path={pathOf('/wallet-ranks', { sort, range, chain })}
        showMore={() => setLimit(limit + step)}
      />
    </Frame>
  )
}
