import {
  readTraderCategories,
  readTraderDays,
  readTraderProfile,
  readTraderTraits,
  type TraderProfile,
} from '#web/client/details.ts'
import { Tag } from '#web/leaders/tag.tsx'
import { CategoryBars } from '#web/trader/category_bars.tsx'
import { EntityHead } from '#web/ui/entity_head.tsx'
import { Count, durationText, Percent, percentText, Pnl, Return, Usd } from '#web/ui/figure.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { HistoryNote } from '#web/ui/history_note.tsx'
import { NoEntity } from '#web/ui/no_entity.tsx'
import { Failure } from '#web/ui/notice.tsx'
import { Panel } from '#web/ui/panel.tsx'
import { PnlPanel } from '#web/ui/pnl_panel.tsx'
import { Stat, Stats } from '#web/ui/stats.tsx'
import { TraitsPanel } from '#web/ui/traits_panel.tsx'
import { useAnswer } from '#web/ui/use_answer.ts'
import { useQuery } from '#web/ui/use_query.ts'

import { Fills, Markets, Positions } from './lists.tsx'
import { Skill } from './skill.tsx'

const presets = { address: '', status: 'closed' }

/** The page `/trader`: all that is known of an address on prediction markets. */
export function Trader() {
  const page = useQuery(presets)
  const { address } = page.query
  const { data, error } = useAnswer(readTraderProfile, { address })
  const [profile, ...others] = data?.body ?? []
  return (
    <Frame
      title="Trader"
      isNarrow={false}
      asOf={data?.asOf ?? null}
      about="An address on prediction markets: what it earned, and how much of that is skill."
    >
      <Failure message={error} />
      {data === null && error === null && <span class="skeleton tall" />}
      {data !== null && profile === undefined && (
        <NoEntity address={address} noun="trade on a prediction market" other={{ href: 'wallet', text: 'wallet' }} />
      )}
      {profile !== undefined && <Profile profile={profile} page={page} />}
      {others.map(({ wallet, n_markets }) => (
        <p key={wallet} class="soft">
          The owner also trades as <a href={`trader?address=${wallet}`}>{wallet}</a>, in {n_markets} markets.
        </p>
      ))}
    </Frame>
  )
}

type ProfileProps = { profile: TraderProfile; page: ReturnType<typeof useQuery<typeof presets>> }

function Profile({ profile, page }: ProfileProps) {
  const { wallet, archetype } = profile
  const days = useAnswer(readTraderDays, { address: wallet })
  return (
    <>
      <EntityHead name={wallet} watch={{ type: 'wallets', item: wallet }}>
        <Tag name={archetype} />
        <HistoryNote {...profile} />
        <a href={`wallet?address=${wallet}`}>Trades of tokens</a>
      </EntityHead>
      <TraderStats profile={profile} />
      <div class="home">
        <div>
          <PnlPanel about="Realized, by UTC day" load={days} />
        </div>
        <div>
          <Skill profile={profile} />
          <Exposure address={wallet} />
        </div>
      </div>
      <Positions address={wallet} />
      <Markets address={wallet} page={page} />
      <Fills address={wallet} />
      <Evidence profile={profile} />
    </>
  )
}

function TraderStats({ profile }: { profile: TraderProfile }) {
  const { pnl, unrealized, roi, win_rate, expected_win_rate, n_closed, n_markets, drawdown, volume, n_fills } = profile
  return (
    <Stats label="Main figures">
      <Stat name="Realized PnL" note="all time">
        <Pnl value={pnl} />
      </Stat>
      <Stat name="Unrealized" note="at the odds of now">
        <Pnl value={unrealized} />
      </Stat>
      <Stat name="Return" note="on closed markets">
        <Return value={roi} />
      </Stat>
      <Stat
        name="Win rate"
        note={expected_win_rate === null ? 'chance is unknown' : `chance gives ${percentText(expected_win_rate)}`}
      >
        <Percent value={win_rate} />
      </Stat>
      <Stat name="Markets closed" note={`of ${n_markets} traded`}>
        <Count value={n_closed} />
      </Stat>
      <Stat name="Largest drawdown" note="below an earlier peak">
        <Usd value={drawdown} />
      </Stat>
      <Stat name="Volume" note={`in ${n_fills.toLocaleString('en')} fills`}>
        <Usd value={volume} />
      </Stat>
    </Stats>
  )
}

function Exposure({ address }: { address: string }) {
  const { data, error } = useAnswer(readTraderCategories, { address })
  return (
    <Panel title="Exposure" about="Cash paid in by category, with the result" error={error}>
      <CategoryBars categories={data?.body ?? null} />
    </Panel>
  )
}

function Evidence({ profile: { wallet, archetype, role, entry_price, holding_s } }: { profile: TraderProfile }) {
  const traits = useAnswer(readTraderTraits, { address: wallet })
  const facts = [
    `trades as ${role}`,
    ...(entry_price === null ? [] : [`pays ${percentText(entry_price)} a share on average`]),
    ...(holding_s === null ? [] : [`holds for ${durationText(holding_s)} on average`]),
  ]
  return (
    <TraitsPanel
      archetype={archetype}
      about={`The figures that decide it. The trader ${facts.join(', ')}.`}
      load={traits}
    />
  )
}
