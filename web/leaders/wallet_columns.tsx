import type { Wallet } from '#web/client/figures.ts'
import type { Column } from '#web/ui/data_table.tsx'
import { Count, Percent, Pnl, Usd } from '#web/ui/figure.tsx'

import { Address, walletHref } from './address.tsx'
import { Tag } from './tag.tsx'

const name: Column<Wallet> = {
  name: 'Wallet',
  isText: true,
  cell: ({ address, chain }) => <Address address={address} chain={chain} href={walletHref(address, chain)} />,
}

const tags: Column<Wallet> = {
  name: 'Tags',
  about: 'All tags whose rule the wallet meets',
  isText: true,
  isWide: true,
  cell: (row) => (
    <span class="tags">
      {row.tags.map((tag) => (
        <Tag key={tag} name={tag} />
      ))}
    </span>
  ),
}

const winRate: Column<Wallet> = {
  name: 'Won',
  about: 'The share of sold tokens with a profit',
  cell: (row) => <Percent value={row.win_rate} />,
}

const pnl: Column<Wallet> = {
  name: 'PnL',
  about: 'Realized in the range by sales, first in, first out, gas included, in USD',
  cell: (row) => <Pnl value={row.pnl} />,
}

/** The columns of the home page. */
export const fewWalletColumns: readonly Column<Wallet>[] = [name, tags, winRate, pnl]

/** The columns of the leaderboard. */
export const walletColumns: readonly Column<Wallet>[] = [
  { name: '#', cell: (row) => row.rank },
  name,
  tags,
  winRate,
  {
    name: 'At least',
    about: 'The lower bound of the win rate, at 95 %',
    isWide: true,
    cell: (row) => <Percent value={row.win_rate_lower} />,
  },
  { name: 'Tokens', about: 'Tokens sold in the range', isWide: true, cell: (row) => <Count value={row.n_closed} /> },
  {
    name: 'Volume',
    about: 'Volume of its trades in the range, in USD',
    isWide: true,
    cell: (row) => <Usd value={row.volume} />,
  },
  pnl,
]
