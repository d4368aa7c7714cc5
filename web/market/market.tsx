import { readMarkets, type Market as ListedMarket } from '#web/client/figures.ts'
import { readMarketHours, readMarketOutcomes, type Outcome } from '#web/client/market_details.ts'
import { EntityHead } from '#web/ui/entity_head.tsx'
import { Count, Percent, percentText, Usd } from '#web/ui/figure.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { Moment } from '#web/ui/moment.tsx'
import { Failure } from '#web/ui/notice.tsx'
import { Panel } from '#web/ui/panel.tsx'
import { Stat, Stats } from '#web/ui/stats.tsx'
import { useAnswer } from '#web/ui/use_answer.ts'
import { useQuery } from '#web/ui/use_query.ts'

import { Fills, Holders, SameElsewhere } from './lists.tsx'
import { OddsChart } from './odds_chart.tsx'

const presets = { id: '' }

/** The page `/market`: the odds of a market over time, its holders and its trades. */
export function Market() {
  const { id } = useQuery(presets).query
  const { data, error } = useAnswer(readMarkets, { id, status: 'all' })
  const [market] = data?.body ?? []
  return (
    <Frame
      title={market?.question ?? 'Market'}
      isNarrow={false}
      asOf={data?.asOf ?? null}
      about={market === undefined ? undefined : `A prediction market of ${market.platform}.`}
    >
      <Failure message={error} />
      {data === null && error === null && <span class="skeleton tall" />}
      {data !== null && market === undefined && (
        <div class="empty">
          <p>
            No such market is stored with a price. <a href="markets?status=all">All markets</a> can be searched by the
            words of their questions.
          </p>
        </div>
      )}
      {market !== undefined && <Details market={market} />}
    </Frame>
  )
}

function Details({ market }: { market: ListedMarket }) {
  const { id } = market
  const outcomes = useAnswer(readMarketOutcomes, { id })
  const hours = useAnswer(readMarketHours, { id })
  const book = hours.data?.body.findLast(({ bid, ask }) => bid !== null && ask !== null) ?? null
  return (
    <>
      <EntityHead name={id} watch={{ type: 'markets', item: id }}>
        <span class={market.status === 'open' ? 'tag tag-good' : 'tag'}>{market.status}</span>
      </EntityHead>
      <MarketStats market={market} outcomes={outcomes.data?.body ?? []} book={book} />
      <div class="home">
        <div>
          <Panel title="Odds and volume" about="YES by the hour, 30 days" error={hours.error}>
            {hours.data === null ? <span class="skeleton tall" /> : <OddsChart hours={hours.data.body} />}
          </Panel>
          <Fills id={id} />
        </div>
        <div>
          <Lean outcomes={outcomes.data?.body ?? null} error={outcomes.error} />
          <Holders id={id} outcomes={outcomes.data?.body ?? []} />
          <SameElsewhere market={market} />
        </div>
      </div>
    </>
  )
}

type StatsProps = {
  market: ListedMarket
  outcomes: readonly Outcome[]
  book: { bid: number | null; ask: number | null } | null
}

function MarketStats({ market, outcomes, book }: StatsProps) {
  const [first] = outcomes
  const width = book === null || book.bid === null || book.ask === null ? null : book.ask - book.bid
  const winner = outcomes.find(({ payout }) => payout === 1)
  return (
    <Stats label="Main figures">
      <Stat name="Yes" note={`No ${percentText(1 - market.yes_price)}`}>
        <Percent value={market.yes_price} />
      </Stat>
      <Stat name="Volume" note="24 hours">
        <Usd value={market.volume_24h} />
      </Stat>
      <Stat
        name="Width of the book"
        note={width === null ? 'no book is known' : `${percentText(book?.bid ?? 0)} to ${percentText(book?.ask ?? 0)}`}
      >
        <Percent value={width} />
      </Stat>
      <Stat name="Holders" note="known accounts">
        <Count value={outcomes.reduce((sum, { n_holders }) => sum + n_holders, 0)} />
      </Stat>
      {first?.category !== undefined && first.category !== null && <Stat name="Category">{first.category}</Stat>}
      {first?.resolved_at !== undefined && first.resolved_at !== null ? (
        <Stat name="Resolved" note={<Moment at={first.resolved_at} />}>
          {winner?.label ?? 'split'}
        </Stat>
      ) : (
        first?.ends_at !== undefined &&
        first.ends_at !== null && (
          <Stat name="Ends">
            <Moment at={first.ends_at} format="date" />
          </Stat>
        )
      )}
    </Stats>
  )
}

/** Where proven traders lean, beside all known holders. */
function Lean({ outcomes, error }: { outcomes: readonly Outcome[] | null; error: string | null }) {
  const proven = (outcomes ?? []).reduce((sum, row) => sum + row.size_proven, 0)
  return (
    <Panel
      title="Where proven traders lean"
      about="Shares of traders whose closing line value is above chance"
      error={error}
    >
      {outcomes === null && error === null && <span class="skeleton" />}
      {outcomes !== null && proven === 0 && <p class="empty">No proven trader holds shares of it.</p>}
      {outcomes !== null && proven > 0 && (
        <ul class="shares lean">
          {outcomes.map(({ outcome, label, size_proven, n_proven }) => (
            <li key={outcome}>
              <span class="symbol">{label}</span>
              <span class="bar" aria-hidden="true">
                <span style={{ width: `${(100 * size_proven) / proven}%` }} />
              </span>
              <data class="figure" value={size_proven} title={`${size_proven} shares`}>
                {percentText(size_proven / proven, 0)}
              </data>
              <span class="soft">{n_proven} of them</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
