-- Every trader's profile, all-time, as `/v1/pm-wallet` serves it, with why a trader is not listed. `clv_score` is 0
-- until closing line value is scored.
-- columns: address; total_pnl DECIMAL(38,2), win_rate, clv_score DECIMAL(9,6), markets_traded INTEGER, archetype, is_complete,
-- unlisted_reason?, untracked DECIMAL(38,2), n_closed, n_won, shrunk_win_rate, lower_win_rate, clv_kind?, clv_se? DOUBLE,
-- clv_n_eff? DOUBLE, scored_share?, traits MAP(VARCHAR, DOUBLE)
with markets as (
  select trader, count(distinct market_id) as n_markets
  from staging.fills
  group by trader
)
select
  r.trader as address,
  r.realized_usd::decimal(38, 2) as total_pnl,
  r.win_rate,
  0 as clv_score,
  coalesce(m.n_markets, 0) as markets_traded,
  t.archetype,
  h.is_complete,
  case
    when h.reason is not null then h.reason
    when t.archetype = 'unproven' then 'fewer than 20 fills or 10 closed markets'
  end as unlisted_reason,
  r.untracked_usd::decimal(38, 2) as untracked,
  r.n_closed,
  r.n_won,
  r.shrunk_win_rate,
  r.lower_win_rate,
  null as clv_kind,
  null as clv_se,
  null as clv_n_eff,
  null as scored_share,
  map {'n_fills': t.n_fills::double, 'n_closed': t.n_closed::double, 'volume_usd': r.volume_usd::double} as traits
from metrics.trader_results r
join metrics.trader_traits t on t.trader = r.trader
join core.histories h on h.trader = r.trader
left join markets m on m.trader = r.trader
where r.range = 'all'
