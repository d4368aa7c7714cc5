-- The closing line value of a trader in each window (`metrics.clv`), and the false discovery rates of the trader, over
-- both kinds together. The kind is the one that says most of the trader. Kinds whose guard holds come first, then those
-- with an effective sample (`n_eff`) of at least 10 clusters, then the kind in which the trader lies farthest from the
-- mean of its role, by |raw - mu| / sqrt v. `is_trusted` is false if the guard of the kind does not hold
-- (`metrics.clv_guards`): the value then means nothing.
--
--   p       the least `p_above` of the kinds with n_eff >= 20 and a guard that holds, times the number of these kinds,
--           at most 1
--   q       the false discovery rate of p by Benjamini and Hochberg among the traders of the window who have a p
--   q_below, q_wide  the same of `p_below`, and of `p_above` among kinds with n_eff >= 10.
-- columns: trader, range; kind, clv_points DECIMAL(18,12), se DOUBLE, skill_points DECIMAL(18,12), skill_se DOUBLE,
-- raw_points DECIMAL(18,12), raw_lower_points DECIMAL(18,12), raw_upper_points DECIMAL(18,12), mu_points DECIMAL(18,12),
-- mu_se DOUBLE, n_eff DOUBLE, q? DOUBLE, q_below? DOUBLE, q_wide? DOUBLE, scored_share, is_trusted
with judged as (
  select
    v.*,
    coalesce(g.is_held, true) as is_trusted
  from metrics.clv v
  left join metrics.clv_guards g on g.kind = v.kind
),
ranked as (
  select
    *,
    row_number() over (
      partition by trader, range
      order by is_trusted desc, n_eff >= 10 - 1e-9 desc, abs(raw_points - mu_points)::double / sqrt(v) desc, kind
    ) as place
  from judged
)
select
  s.trader,
  s.range,
  s.kind,
  s.clv_points,
  s.se,
  s.skill_points,
  s.skill_se,
  s.raw_points,
  s.raw_lower_points,
  s.raw_upper_points,
  s.mu_points,
  s.mu_se,
  s.n_eff,
  r.q,
  r.q_below,
  r.q_wide,
  s.scored_share,
  s.is_trusted
from ranked s
join core.ledger_traders t on t.trader = s.trader
left join metrics.clv_rates r on r.trader_index = t.trader_index and r.range = s.range
where s.place = 1
