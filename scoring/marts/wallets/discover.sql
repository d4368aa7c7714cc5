-- The leaderboard of wallets for each scope (`all`, or a chain), range and sort, ordered by the range's figure as it is
-- served, then by address and chain. A wallet has a row for each chain. It is listed if its history is complete, its
-- archetype is not `unproven`, it has no tag `wash_like`, and a token closed in the range; the list sorted by win_rate
-- has only wallets with 10 closed tokens. `pnl` and `volume` cover the range. The figures of 30 days are those of
-- `marts.wallet`. Results that are not ranked are no part of `pnl_30d` and `pnl`.
-- columns: scope, range, sort, rank; address, chain, pnl_30d DECIMAL(38,2), unranked_30d DECIMAL(38,2),
-- volume_30d DECIMAL(38,2), win_rate, tags VARCHAR[], pnl DECIMAL(38,2), volume DECIMAL(38,2), n_closed, lower_win_rate
with listed as (
  select
    r.range,
    r.wallet as address,
    r.chain,
    m.realized_usd::decimal(38, 2) as pnl_30d,
    m.unranked_usd::decimal(38, 2) as unranked_30d,
    m.volume_usd::decimal(38, 2) as volume_30d,
    r.win_rate::decimal(9, 6) as win_rate,
    t.tags,
    r.realized_usd::decimal(38, 2) as pnl,
    r.volume_usd::decimal(38, 2) as volume,
    r.n_closed,
    r.lower_win_rate
  from metrics.wallet_results r
  join metrics.wallet_results m on m.wallet = r.wallet and m.chain = r.chain and m.range = '30d'
  join metrics.wallet_traits t on t.wallet = r.wallet and t.chain = r.chain
  where r.range <> 'all' and r.is_complete and t.archetype <> 'unproven' and r.n_closed > 0
    and not list_contains(t.tags, 'wash_like')
),
scoped as (
  select 'all' as scope, * from listed
  union all
  select chain as scope, * from listed
),
sorted as (
  select *, 'pnl' as sort, pnl::decimal(38, 6) as figure from scoped
  union all
  select *, 'volume', volume from scoped
  union all
  select *, 'win_rate', win_rate from scoped where n_closed >= 10
)
select
  scope,
  range,
  sort,
  row_number() over (partition by scope, range, sort order by figure desc, address, chain) as rank,
  address,
  chain,
  pnl_30d,
  unranked_30d,
  volume_30d,
  win_rate,
  tags,
  pnl,
  volume,
  n_closed,
  lower_win_rate
from sorted
