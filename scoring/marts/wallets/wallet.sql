-- Every wallet on each of its chains, as `/v1/wallet` serves it, with the reason if it is not listed. The unranked
-- results and the proceeds without a known purchase, `unmatched`, are no part of the realized ones. `traits` is the
-- evidence of archetype and tags (`metrics.wallet_traits`).
-- columns: address, chain; tags VARCHAR[], realized_30d DECIMAL(38,2), realized_all_time DECIMAL(38,2),
-- unranked_30d DECIMAL(38,2), unranked_all_time DECIMAL(38,2), behavior_archetype, volume_30d DECIMAL(38,2), is_complete,
-- unlisted_reason?, unmatched DECIMAL(38,2), gas_outside_trades DECIMAL(38,2), n_closed, n_won, shrunk_win_rate, lower_win_rate, traits MAP(VARCHAR, DOUBLE)
select
  r.wallet as address,
  r.chain,
  t.tags,
  m.realized_usd::decimal(38, 2) as realized_30d,
  r.realized_usd::decimal(38, 2) as realized_all_time,
  m.unranked_usd::decimal(38, 2) as unranked_30d,
  r.unranked_usd::decimal(38, 2) as unranked_all_time,
  t.archetype as behavior_archetype,
  m.volume_usd::decimal(38, 2) as volume_30d,
  r.is_complete,
  case
    when not r.is_complete then 'more than 5 % of the volume was sold without a known purchase'
    when t.archetype = 'unproven' then 'fewer than 10 trades or 5 closed tokens'
    when list_contains(t.tags, 'wash_like') then 'the same token bought and sold within a minute, ten times or more'
  end as unlisted_reason,
  r.unmatched_usd::decimal(38, 2) as unmatched,
  r.gas_usd::decimal(38, 2) as gas_outside_trades,
  r.n_closed,
  r.n_won,
  r.shrunk_win_rate,
  r.lower_win_rate,
  map_from_entries([e for e in [
    struct_pack(key := 'n_trades', value := t.n_trades::double),
    struct_pack(key := 'n_closed', value := t.n_closed::double),
    struct_pack(key := 'n_chains_30d', value := t.n_chains_30d::double),
    struct_pack(key := 'roundtrip_share', value := t.roundtrip_share::double),
    struct_pack(key := 'pool_age_s', value := t.pool_age_s::double),
    struct_pack(key := 'held_s', value := t.held_s::double),
    struct_pack(key := 'roi_90d_lower', value := t.roi_90d_lower),
    struct_pack(key := 'roi_180d_upper', value := t.roi_180d_upper),
    struct_pack(key := 'buys_to_sells', value := case when not isinf(t.buys_to_sells) then t.buys_to_sells end),
    struct_pack(key := 'volume_90d_usd', value := t.volume_90d_usd::double),
    struct_pack(key := 'volume_90d_pct', value := t.volume_90d_pct::double),
    struct_pack(key := 'stable_share', value := t.stable_share::double),
    struct_pack(key := 'n_day_trades', value := t.n_day_trades::double),
    struct_pack(key := 'n_hour_max', value := t.n_hour_max::double),
    struct_pack(key := 'n_sandwiches', value := t.n_sandwiches::double),
    struct_pack(key := 'n_washes', value := t.n_washes::double),
    struct_pack(key := 'n_early_buys', value := t.n_early_buys::double)
  ] if e.value is not null]) as traits
from metrics.wallet_results r
join metrics.wallet_results m on m.wallet = r.wallet and m.chain = r.chain and m.range = '30d'
join metrics.wallet_traits t on t.wallet = r.wallet and t.chain = r.chain
where r.range = 'all'
