import type { Trader } from '#web/client/figures.ts'
import type { Column } from '#web/ui/data_table.tsx'
import { Count, Percent, Pnl, Points, Return } from '#web/ui/figure.tsx'

import { Address, traderHref } from './address.tsx'
import { Tag } from './tag.tsx'

const name: Column<Trader> = {
  name: 'Trader',
  isText: true,
  cell: ({ wallet }) => <Address address={wallet} href={traderHref(wallet)} />,
}

const archetype: Column<Trader> = {
  name: 'Style',
  about: 'How the trader trades: the first rule that matches',
  isText: true,
  isWide: true,
  cell: ({ archetype: word }) => <Tag name={word} />,
}

const pnl: Column<Trader> = {
  name: 'PnL',
  about: 'Realized in the range, in USD',
  cell: (row) => <Pnl value={row.pnl} />,
}

const edge: Column<Trader> = {
  name: 'CLV',
  about: 'Closing line value: the close minus the price paid, in percentage points, with its standard error',
  cell: ({ clv_score, clv_se }) => (
    <>
      <Points value={clv_score} error={clv_se} />
      {clv_score !== null && clv_se !== null && <span class="error"> ±{clv_se.toFixed(1)}</span>}
    </>
  ),
}

const winRate: Column<Trader> = {
  name: 'Won',
  about: 'The share of closed markets with a profit',
  cell: (row) => <Percent value={row.win_rate} />,
}

/** The columns of the home page. */
export const fewTraderColumns: readonly Column<Trader>[] = [name, archetype, edge, winRate, pnl]

/** The columns of the leaderboard. */
export const traderColumns: readonly Column<Trader>[] = [
  { name: '#', cell: (row) => row.rank },
  name,
  archetype,
  edge,
  {
    name: 'CLV sample',
    about: 'The effective sample of the closing line value, in days of a category',
    isWide: true,
    cell: ({ clv_n_eff }) => (clv_n_eff === null ? '–' : clv_n_eff.toFixed(1)),
  },
  winRate,
  {
    name: 'By chance',
    about: 'The win rate that chance gives at the prices paid',
    isWide: true,
    cell: (row) => <Percent value={row.expected_win_rate} />,
  },
  {
    name: 'At least',
    about: 'The lower bound of the win rate, at 95 %',
    isWide: true,
    cell: (row) => <Percent value={row.win_rate_lower} />,
  },
  {
    name: 'Markets',
    about: 'Markets closed in the range',
    isWide: true,
    cell: (row) => <Count value={row.n_closed} />,
  },
  pnl,
  {
    name: 'Return',
    about: 'The result over the cash paid into closed markets',
    isWide: true,
    cell: (row) => <Return value={row.roi} />,
  },
]
