import { useCallback } from 'preact/hooks'

import { readWalletDays, readWalletProfiles, readWalletTraits, type WalletProfile } from '#web/client/details.ts'
import { Tag } from '#web/leaders/tag.tsx'
import { Choices } from '#web/ui/choices.tsx'
import { EntityHead } from '#web/ui/entity_head.tsx'
import { Count, Percent, percentText, Pnl, Usd } from '#web/ui/figure.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { NoEntity } from '#web/ui/no_entity.tsx'
import { Failure } from '#web/ui/notice.tsx'
import { Panel } from '#web/ui/panel.tsx'
import { PnlChart } from '#web/ui/pnl_chart.tsx'
import { Stat, Stats } from '#web/ui/stats.tsx'
import { Traits } from '#web/ui/traits.tsx'
import { useLive } from '#web/ui/use_live.ts'
import { useQuery, type PageQuery } from '#web/ui/use_query.ts'

import { Holdings, Tokens, Trades } from './lists.tsx'

const presets = { address: '', chain: '' }

/** The page `/wallet`: all that is known of an address on chains. */
export function Wallet() {
  const page = useQuery(presets)
  const { address, chain } = page.query
  const read = useCallback(() => readWalletProfiles({ address }), [address])
  const { data, error } = useLive(read)
  const profile = data?.body.find((row) => row.chain === chain) ?? data?.body[0]
  return (
    <Frame
      title="Wallet"
      isNarrow={false}
      asOf={data?.asOf ?? null}
      about="An address that trades tokens: what it realized by sales, first in, first out, with gas."
    >
      <Failure message={error} />
      {data === null && error === null && <span class="skeleton tall" />}
      {data !== null && profile === undefined && (
        <NoEntity address={address} noun="trade of tokens" other={{ href: 'trader', text: 'trader' }} />
      )}
      {profile !== undefined && <Profile profiles={data?.body ?? []} profile={profile} page={page} />}
    </Frame>
  )
}

type ProfileProps = {
  profiles: readonly WalletProfile[]
  profile: WalletProfile
  page: PageQuery<typeof presets>
}

function Profile({ profiles, profile, page }: ProfileProps) {
  const { address, chain, tags, is_complete, unlisted_reason } = profile
  const chains = Object.fromEntries(profiles.map((row) => [row.chain, row.chain]))
  const shown = { ...page, query: { ...page.query, chain } }
  return (
    <>
      <EntityHead name={address} watch={{ type: 'wallets', item: address }}>
        {tags.map((tag) => (
          <Tag key={tag} name={tag} />
        ))}
        <span class="soft">
          {is_complete ? 'complete history' : 'incomplete history'}
          {unlisted_reason !== null && `, in no leaderboard: ${unlisted_reason}`}
        </span>
        <a href={`trader?address=${address}`}>Prediction markets</a>
      </EntityHead>
      {profiles.length > 1 && (
        <div class="controls">
          <Choices label="Chain" name="chain" values={chains} page={shown} />
        </div>
      )}
      <WalletStats profile={profile} />
      <div class="home">
        <div>
          <Line address={address} chain={chain} />
        </div>
        <div>
          <Holdings address={address} chain={chain} />
        </div>
      </div>
      <Trades address={address} chain={chain} />
      <Tokens address={address} chain={chain} />
      <Evidence profile={profile} />
    </>
  )
}

function WalletStats({ profile }: { profile: WalletProfile }) {
  const { realized_30d, realized_all_time, unranked_all_time, unmatched, volume_30d, win_rate, win_rate_lower } =
    profile
  return (
    <Stats label="Main figures">
      <Stat name="Realized PnL" note="all time">
        <Pnl value={realized_all_time} />
      </Stat>
      <Stat name="Realized PnL" note="30 days">
        <Pnl value={realized_30d} />
      </Stat>
      <Stat name="Win rate" note={`at least ${percentText(win_rate_lower)}`}>
        <Percent value={win_rate} />
      </Stat>
      <Stat name="Tokens sold" note={`${profile.n_won} at a profit`}>
        <Count value={profile.n_closed} />
      </Stat>
      <Stat name="Volume" note="30 days">
        <Usd value={volume_30d} />
      </Stat>
      <Stat name="Unranked" note="without a reliable price">
        <Pnl value={unranked_all_time} />
      </Stat>
      <Stat name="Unmatched" note="sold, never seen bought">
        <Usd value={unmatched} />
      </Stat>
    </Stats>
  )
}

type Place = { address: string; chain: string }

function Line({ address, chain }: Place) {
  const read = useCallback(() => readWalletDays({ address, chain }), [address, chain])
  const { data, error } = useLive(read)
  return (
    <Panel title="Profit and loss" about={`Realized on ${chain}, by UTC day`} error={error}>
      {data === null ? <span class="skeleton tall" /> : <PnlChart days={data.body} />}
    </Panel>
  )
}

function Evidence({ profile: { address, chain, behavior_archetype } }: { profile: WalletProfile }) {
  const read = useCallback(() => readWalletTraits({ address, chain }), [address, chain])
  const { data, error } = useLive(read)
  return (
    <Panel
      title={`Why “${behavior_archetype.replaceAll('_', ' ')}”`}
      about="The figures that decide the archetype and the tags"
      more={{ href: 'docs/metrics.md', text: 'The rules' }}
      error={error}
    >
      <Traits traits={data?.body ?? null} />
    </Panel>
  )
}
