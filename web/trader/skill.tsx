import type { TraderProfile } from '#web/client/details.ts'
import { Percent, percentText, Points, pointsText } from '#web/ui/figure.tsx'
import { Interval } from '#web/ui/interval.tsx'
import { Panel } from '#web/ui/panel.tsx'

/** What of the record is beyond chance: closing line value and win rate, each with its interval. */
export function Skill({ profile }: { profile: TraderProfile }) {
  return (
    <Panel
      title="Skill or luck"
      about="An interval that leaves chance (the tick) on one side is coloured"
      more={{ href: 'docs/metrics.md', text: 'Definitions' }}
    >
      <dl class="skill">
        <ClosingLine profile={profile} />
        <WinRate profile={profile} />
      </dl>
    </Panel>
  )
}

function ClosingLine({ profile }: { profile: TraderProfile }) {
  const { clv_score, clv_se, clv_n_eff, clv_reason, clv_observed, clv_observed_lower, clv_observed_upper } = profile
  return (
    <div>
      <dt>Closing line value, beyond its role</dt>
      <dd>
        <Points value={clv_score} error={clv_se} />
        {clv_score !== null && clv_se !== null && (
          <>
            <span class="error"> ±{(1.645 * clv_se).toFixed(1)} points</span>
            <Interval
              label={`Closing line value ${clv_score.toFixed(1)} points, ${(clv_score - 1.645 * clv_se).toFixed(1)} to ${(clv_score + 1.645 * clv_se).toFixed(1)}`}
              value={clv_score}
              lower={clv_score - 1.645 * clv_se}
              upper={clv_score + 1.645 * clv_se}
              chance={0}
              bounds={[-10, 10]}
            />
          </>
        )}
        <span class="note">
          {clv_reason ?? `sample of ${(clv_n_eff ?? 0).toFixed(1)} days of a category, at 90 %`}
          {clv_observed !== null && clv_observed_lower !== null && clv_observed_upper !== null && (
            <>
              . Observed {pointsText(clv_observed)}, {pointsText(clv_observed_lower)} to{' '}
              {pointsText(clv_observed_upper)}
            </>
          )}
        </span>
      </dd>
    </div>
  )
}

function WinRate({
  profile: { win_rate, win_rate_lower, expected_win_rate, n_won, n_closed },
}: {
  profile: TraderProfile
}) {
  const chance = expected_win_rate ?? 0.5
  return (
    <div>
      <dt>Win rate</dt>
      <dd>
        <Percent value={win_rate} />
        <span class="error"> at least {percentText(win_rate_lower)}</span>
        <Interval
          label={`Win rate ${percentText(win_rate)}, at least ${percentText(win_rate_lower)}, by chance ${percentText(chance)}`}
          value={win_rate}
          lower={win_rate_lower}
          upper={null}
          chance={chance}
          bounds={[0, 1]}
        />
        <span class="note">
          {n_won} of {n_closed} closed markets, at 95 %
          {expected_win_rate !== null && `. The prices paid give ${percentText(expected_win_rate)} by chance`}
        </span>
      </dd>
    </div>
  )
}
