import { readWalletDays, readWalletProfiles, readWalletTraits, type WalletProfile } from '#web/client/details.ts'
import { Tag } from '#web/leaders/tag.tsx'
import { Choices } from '#web/ui/choices.tsx'
import { EntityHead } from '#web/ui/entity_head.tsx'
import { Count, Percent, percentText, Pnl, Usd } from '#web/ui/figure.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { HistoryNote } from '#web/ui/history_note.tsx'
import { NoEntity } from '#web/ui/no_entity.tsx'
import { Failure } from '#web/ui/notice.tsx'
import { PnlPanel } from '#web/ui/pnl_panel.tsx'
import { Stat, Stats } from '#web/ui/stats.tsx'
import { TraitsPanel } from '#web/ui/traits_panel.tsx'
import { useAnswer } from '#web/ui/use_answer.ts'
import { useQuery, type PageQuery } from '#web/ui/use_query.ts'

import { Holdings, Tokens, Trades } from './lists.tsx'

const presets = { address: '', chain: '' }

/** The page `/wallet`: all that is known of an address on chains. */
export function Wallet() {
  const page = useQuery(presets)
  const { address, chain } = page.query
  const { data, error } = useAnswer(readWalletProfiles, { address })
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
  const { address, chain, tags } = profile
  const days = useAnswer(readWalletDays, { address, chain })
  const traits = useAnswer(readWalletTraits, { address, chain })
  const chains = Object.fromEntries(profiles.map((row) => [row.chain, row.chain]))
  const shown = { ...page, query: { ...page.query, chain } }
  return (
    <>
      <EntityHead name={address} watch={{ type: 'wallets', item: address }}>
        {tags.map((tag) => (
          <Tag key={tag} name={tag} />
        ))}
        <HistoryNote {...profile} />
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
          <PnlPanel about={`Realized on ${chain}, by UTC day`} load={days} />
        </div>
        <div>
          <Holdings address={address} chain={chain} />
        </div>
      </div>
      <Trades address={address} chain={chain} />
      <Tokens address={address} chain={chain} />
      <TraitsPanel
        archetype={profile.behavior_archetype}
        about="The figures that decide the archetype and the tags"
        load={traits}
      />
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
