-- Tests of the closes behind closing line value, as of the clock (`metrics.clv_guards` defines them). They compare
-- payouts with closes, by kind of close, over all markets. If `state` is `broken`, no `clv_score` of that kind is served,
-- and no trader is sharp, fade_target or value_hunter by it. `reason` names the figure and its bounds.
-- columns: kind; n_markets, n_clusters, gap DOUBLE, se DOUBLE, slope? DOUBLE, slope_se? DOUBLE, extreme_share, state, is_held?,
-- broken_at?, reason?
select
  kind,
  n_markets,
  n_clusters,
  gap,
  se,
  slope,
  slope_se,
  extreme_share,
  state,
  is_held,
  broken_at,
  case
    when state in ('broken', 'warning') then kind || ': payout - close is ' || printf('%.3f', gap) || ' +- '
      || printf('%.3f', 1.96 * se) || ' (bound 0.02), slope ' || coalesce(printf('%.2f', slope) || ' +- '
      || printf('%.2f', 1.96 * slope_se), 'unknown') || ' (bounds 0.85, 1.15), extreme closes '
      || printf('%.3f', extreme_share::double) || ' (bound 0.15), ' || n_markets || ' markets'
    when state = 'unknown' then kind || ': ' || n_markets || ' resolved markets, 200 are needed'
  end as reason
from metrics.clv_guards
