import { readAssets, readMarkets, readTraders, readWallets } from '#web/client/figures.ts'
import { FeedList, LiveMark } from '#web/feed/feed_list.tsx'
import { useFeed } from '#web/feed/use_feed.ts'
import { fewTraderColumns } from '#web/leaders/trader_columns.tsx'
import { fewWalletColumns } from '#web/leaders/wallet_columns.tsx'
import { marketColumns } from '#web/markets/market_columns.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { ListPanel } from '#web/ui/list_panel.tsx'
import { Panel } from '#web/ui/panel.tsx'
import { useLive } from '#web/ui/use_live.ts'

import { CoverageStrip } from './coverage_strip.tsx'
import { MindshareBars } from './mindshare_bars.tsx'

const n_rows = 8
const limit = String(n_rows)

const markets = () => readMarkets({ limit })
/** By closing line value; by PnL until closes are trusted, since the first list is empty then. */
const traders = async () => {
  const bySkill = await readTraders({ limit })
  return bySkill.total > 0
    ? { ...bySkill, isBySkill: true }
    : { ...(await readTraders({ limit, sort: 'pnl' })), isBySkill: false }
}
const wallets = () => readWallets({ limit })
const assets = () => readAssets({ limit: '10', range: '7d' })

/** The page `/`: what this is, and the figures of now. */
export function Home() {
  return (
    <Frame
      title="Know who is right, and see the proof"
      isNarrow={false}
      about="Tapeline is open-source market and wallet intelligence: live odds, traders who beat the closing line, exact wallet ledgers and what people talk about. Every figure leads back to its transactions."
    >
      <CoverageStrip />
      <div class="home">
        <div>
          <TopMarkets />
          <TopTraders />
          <TopWallets />
        </div>
        <div>
          <LatestSignals />
          <Mindshare />
        </div>
      </div>
    </Frame>
  )
}

function TopMarkets() {
  const { data, error } = useLive(markets)
  return (
    <ListPanel
      title="Markets"
      about="Most traded in 24 hours"
      more={{ href: 'markets', text: 'All markets' }}
      caption="Markets by volume"
      columns={marketColumns}
      rows={data?.body}
      error={error}
      keyOf={({ id }) => id}
      n_expected={n_rows}
      empty={<p>No market is open.</p>}
    />
  )
}

function TopTraders() {
  const { data, error } = useLive(traders)
  const isBySkill = data?.isBySkill ?? true
  return (
    <ListPanel
      title="Traders"
      about={isBySkill ? 'By closing line value, 30 days' : 'By PnL, 30 days, until closing lines are proved'}
      more={{ href: 'traders', text: 'All traders' }}
      caption={isBySkill ? 'Traders by closing line value' : 'Traders by PnL'}
      columns={fewTraderColumns}
      rows={data?.body}
      error={error}
      keyOf={({ wallet }) => wallet}
      n_expected={n_rows}
      empty={<p>No trader has enough closed markets yet.</p>}
    />
  )
}

function TopWallets() {
  const { data, error } = useLive(wallets)
  return (
    <ListPanel
      title="Wallets"
      about="By realized profit on chains, 30 days"
      more={{ href: 'wallets', text: 'All wallets' }}
      caption="Wallets by realized profit"
      columns={fewWalletColumns}
      rows={data?.body}
      error={error}
      keyOf={({ address, chain }) => `${address} ${chain}`}
      n_expected={n_rows}
      empty={<p>No wallet has enough trades yet.</p>}
    />
  )
}

function LatestSignals() {
  const feed = useFeed('', n_rows)
  return (
    <Panel title="Feed" more={{ href: 'feed', text: 'All signals' }} aside={<LiveMark isLive={feed.isLive} />}>
      <FeedList feed={feed} n_expected={n_rows} />
    </Panel>
  )
}

function Mindshare() {
  const { data, error } = useLive(assets)
  return (
    <Panel
      title="Mindshare"
      about="Share of attention on social platforms and in news, 7 days"
      more={{ href: 'assets', text: 'All assets' }}
      error={error}
    >
      <MindshareBars assets={data?.body ?? (error === null ? null : [])} />
    </Panel>
  )
}
