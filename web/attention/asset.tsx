import { useMemo } from 'preact/hooks'

import { readAssetDays, type AssetDay } from '#web/client/details.ts'
import { readAssets, readFeed, readMarkets, type Asset as Momentum } from '#web/client/figures.ts'
import { SignalItem } from '#web/feed/signal_item.tsx'
import { marketColumns } from '#web/markets/market_columns.tsx'
import { Chart } from '#web/ui/chart.tsx'
import { DataTable, type Column } from '#web/ui/data_table.tsx'
import { Count, Percent, Points } from '#web/ui/figure.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { ListPanel } from '#web/ui/list_panel.tsx'
import { momentText } from '#web/ui/moment.tsx'
import { Failure } from '#web/ui/notice.tsx'
import { Panel } from '#web/ui/panel.tsx'
import { Stat, Stats } from '#web/ui/stats.tsx'
import { useAnswer } from '#web/ui/use_answer.ts'
import { useQuery } from '#web/ui/use_query.ts'

const presets = { symbol: '' }

/** The page `/asset`: the attention of an asset over time, its platforms and its bursts. */
export function Asset() {
  const { symbol } = useQuery(presets).query
  const week = useAnswer(readAssets, { assets: symbol, range: '7d' })
  const month = useAnswer(readAssets, { assets: symbol, range: '30d' })
  const [now] = week.data?.body ?? []
  return (
    <Frame
      title={symbol.toUpperCase() || 'Asset'}
      isNarrow={false}
      asOf={week.data?.asOf ?? null}
      about="How much people talk about it, where, and in which tone."
    >
      <Failure message={week.error} />
      {week.data !== null && now === undefined && (
        <div class="empty">
          <p>
            This asset is not tracked, or no platform was read well enough yet. See <a href="assets">all assets</a>.
          </p>
        </div>
      )}
      {now !== undefined && <Details now={now} month={month.data?.body[0] ?? null} />}
    </Frame>
  )
}

function Details({ now, month }: { now: Momentum; month: Momentum | null }) {
  const { symbol } = now
  const days = useAnswer(readAssetDays, { symbol })
  const priced = useAnswer(readMarkets, { words: symbol, limit: '8' })
  return (
    <>
      <Stats label="Main figures">
        <Stat name="Mindshare" note="7 days">
          <Percent value={now.mindshare_pct / 100} />
        </Stat>
        <Stat name="Change" note="points, to the week before">
          <Points value={now.mindshare_delta} />
        </Stat>
        <Stat name="Rank" note="7 days">
          <Count value={now.rank} />
        </Stat>
        <Stat name="Tone" note="beside other assets">
          <span class={`tone-${now.sentiment}`}>{now.sentiment}</span>
        </Stat>
        {month !== null && (
          <Stat name="Mindshare" note="30 days">
            <Percent value={month.mindshare_pct / 100} />
          </Stat>
        )}
      </Stats>
      <div class="home">
        <div>
          <Panel title="Attention" about="Its share of each platform by UTC day, 30 days" error={days.error}>
            {days.data === null ? <span class="skeleton tall" /> : <DaysChart days={days.data.body} />}
          </Panel>
        </div>
        <div>
          <Bursts symbol={symbol} />
          <ListPanel
            title="Markets"
            about={`Open questions with “${symbol}”`}
            caption="Markets of the asset"
            columns={marketColumns}
            rows={priced.data?.body}
            error={priced.error}
            keyOf={({ id }) => id}
            n_expected={4}
            empty={<p>No open market names it.</p>}
          />
        </div>
      </div>
    </>
  )
}

/** Signals of attention that concern the asset. */
function Bursts({ symbol }: { symbol: string }) {
  const { data, error } = useAnswer(readFeed, { type: 'social', limit: '200' })
  const bursts = (data?.body ?? []).filter(({ entity }) => entity.toUpperCase() === symbol).slice(0, 5)
  return (
    <Panel title="Bursts" about="Attention far beyond its usual share, 30 days" error={error}>
      {data !== null && bursts.length === 0 && <p class="empty">None that your tier may see.</p>}
      <ul class="feed">
        {bursts.map((signal) => (
          <SignalItem key={signal.id} signal={signal} asOf={data?.asOf ?? null} isFresh={false} />
        ))}
      </ul>
    </Panel>
  )
}

const columns: readonly Column<AssetDay>[] = [
  { name: 'Day', isText: true, cell: ({ day }) => day },
  { name: 'Platform', isText: true, cell: ({ platform }) => platform },
  { name: 'Share', cell: ({ day_pct }) => <Percent value={day_pct / 100} /> },
  { name: 'Posts', cell: ({ n_posts }) => <Count value={n_posts} /> },
  { name: 'Texts', about: 'Groups of near-equal posts', cell: ({ n_clusters }) => <Count value={n_clusters} /> },
]

const tones = ['market', 'wallet', 'social', 'signal', 'loss', 'soft']

function DaysChart({ days }: { days: readonly AssetDay[] }) {
  const { times, series } = useMemo(() => drawn(days), [days])
  if (days.length === 0) return <p class="empty">Nobody posted on it within 30 days.</p>
  return (
    <Chart
      label={`Share of attention by day on ${series.map(({ name }) => name).join(', ')}`}
      times={times}
      series={series}
      timeText={(time_s) => momentText(new Date(time_s * 1_000).toISOString(), 'date')}
    >
      <DataTable
        caption="Attention by day and platform"
        columns={columns}
        rows={days.toReversed()}
        keyOf={({ day, platform }) => `${day} ${platform}`}
        empty={null}
      />
    </Chart>
  )
}

/** A line for each of the platforms with the most posts; a day without a post is 0. */
function drawn(days: readonly AssetDay[]) {
  const posts = new Map<string, number>()
  for (const { platform, n_posts } of days) posts.set(platform, (posts.get(platform) ?? 0) + n_posts)
  const platforms = [...posts.keys()].toSorted((a, b) => (posts.get(b) ?? 0) - (posts.get(a) ?? 0))
  const shares = new Map(days.map(({ day, platform, day_pct }) => [`${day} ${platform}`, day_pct]))
  const dates = [...new Set(days.map(({ day }) => day))].toSorted()
  return {
    times: dates.map((day) => Date.parse(day) / 1_000),
    series: platforms.slice(0, tones.length).map((name, n) => ({
      name,
      tone: tones[n] ?? 'soft',
      kind: 'line' as const,
      scale: 'share',
      text: (value: number | null) => (value === null ? '–' : `${value.toFixed(1)} %`),
      values: dates.map((day) => shares.get(`${day} ${name}`) ?? 0),
    })),
  }
}
