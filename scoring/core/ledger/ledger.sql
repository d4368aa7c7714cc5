-- The ordered input of the positions ledger: first the facts that hold for every trader (`trader_index` -1), then the
-- events, trader by trader. The facts are the questions of neg-risk groups with a conversion, and the payout (`size`)
-- of each outcome by each resolution. The `outcome` of a question is its `neg_risk_index`. A cluster groups events that
-- can affect each other's positions. It is a market, or a whole neg-risk group for traders with a conversion or a
-- migration in it. A migration takes cost from one market to another, so both have the cluster of the given token.
--
-- The order within an instant is: splits, transfers that came and buys, which only add; conversions, merges and
-- migrations; sales; transfers that went; redemptions. Within a step, fills and moves follow their `seq`. Resolutions
-- are facts and apply before redemptions.
-- columns: trader_index, cluster_index, ts_us BIGINT, seq; kind ENUM('question', 'resolution', 'split', 'buy', 'convert',
-- 'merge', 'sell', 'redeem', 'transfer_in', 'transfer_out', 'migrate_from', 'migrate_to'), market_index, outcome,
-- size DECIMAL(18,6), cash_usd DECIMAL(18,6), fee_usd DECIMAL(18,6), index_set?, n_questions? INTEGER
with
-- Inlined, so that a count of the rows sorts no more than the key.
converters as not materialized (
  select distinct trader_index, group_index
  from core.ledger_moves
  where kind = 'convert'
),
migrations as (
  select f.trader_index, f.group_index as from_group, t.group_index as to_group
  from core.ledger_moves f
  join core.ledger_moves t
    on t.trader_index = f.trader_index and t.ts = f.ts and t.tx = f.tx and t.seq = f.seq + 1 and t.kind = 'migrate_to'
  where f.kind = 'migrate_from'
),
-- The groups of a trader whose events are one cluster.
clusters as not materialized (
  select trader_index, group_index, min(cluster_index) as cluster_index
  from (
    select trader_index, group_index, group_index as cluster_index from converters
    union all
    select trader_index, from_group, from_group from migrations
    union all
    select trader_index, to_group, from_group from migrations
  )
  group by trader_index, group_index
),
questions as (
  select
    -1 as trader_index,
    group_index as cluster_index,
    0 as ts_us,
    0 as step,
    row_number() over (partition by group_index order by neg_risk_index nulls last, market_index) as seq,
    'question' as kind,
    market_index,
    coalesce(neg_risk_index, -1) as outcome,
    0 as size,
    0 as cash_usd,
    0 as fee_usd,
    null::varchar as index_set,
    null::integer as n_questions
  from core.ledger_markets
  where neg_risk_id is not null and group_index in (select group_index from converters)
),
payouts as (
  select m.market_index, r.ts, unnest(r.payouts) as payout, generate_subscripts(r.payouts, 1) - 1 as outcome
  from staging.resolutions r
  join core.ledger_markets m on m.market_id = r.market_id
),
resolutions as (
  select -1, market_index, epoch_us(ts), 1, outcome, 'resolution', market_index, outcome, payout, 0, 0, null, null
  from payouts
),
groups as (
  select market_index, group_index
  from core.ledger_markets
  where group_index in (select group_index from clusters)
),
fills as (
  select
    f.trader_index,
    coalesce(c.cluster_index, f.market_index),
    epoch_us(f.ts),
    case f.side when 'buy' then 1 else 3 end,
    f.seq,
    f.side,
    f.market_index,
    f.outcome,
    f.size,
    f.cash_usd,
    f.fee_usd,
    null,
    null
  from core.fills f
  left join groups g on g.market_index = f.market_index
  left join clusters c on c.trader_index = f.trader_index and c.group_index = g.group_index
),
moves as (
  select
    v.trader_index,
    coalesce(c.cluster_index, v.market_index),
    epoch_us(v.ts),
    case when v.kind in ('split', 'transfer_in') then 0 when v.kind = 'transfer_out' then 4 when v.kind = 'redeem' then 5 else 2 end,
    v.seq,
    v.kind,
    coalesce(v.market_index, -1),
    coalesce(v.outcome, -1),
    v.size,
    v.cash_usd,
    0,
    v.index_set,
    v.n_questions
  from core.ledger_moves v
  left join clusters c on c.trader_index = v.trader_index and c.group_index = v.group_index
),
events as (
  select * from questions
  union all
  select * from resolutions
  union all
  select * from fills
  union all
  select * from moves
)
select
  trader_index::integer as trader_index,
  cluster_index::integer as cluster_index,
  ts_us::bigint as ts_us,
  seq::integer as seq,
  kind::enum (
    'question', 'resolution', 'split', 'buy', 'convert', 'merge', 'sell', 'redeem', 'transfer_in', 'transfer_out',
    'migrate_from', 'migrate_to'
  ) as kind,
  market_index::integer as market_index,
  outcome::integer as outcome,
  size::decimal(18, 6) as size,
  cash_usd::decimal(18, 6) as cash_usd,
  fee_usd::decimal(18, 6) as fee_usd,
  index_set,
  n_questions::integer as n_questions
from events
-- Step and seq are one number: a key of more than 24 bytes takes half as long again to sort.
order by trader_index, cluster_index, ts_us, (step * 100000000 + seq)::integer
