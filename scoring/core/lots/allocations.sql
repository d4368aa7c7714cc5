-- What one lot gave to a sale or transfer out, as `core.disposals` describes it: the part of that table which its
-- readers need, by numbers. The event is that at `block`, `tx_index` and `seq`. Kinds are 0 sale, 1 transfer, 2 carry
-- and 3 arbitrage. The amount is `amount_high` x 2^50 + `amount_low` units, and from 2^103 on `amount`.
--
-- The rows stand in the order of owners and events, first those with halves and then the others.
-- ordered: no
-- columns: wallet_index, token_index, block, tx_index, seq, lot, kind INTEGER; ts, amount_high? BIGINT,
-- amount_low? BIGINT, amount?, proceeds_millionths? BIGINT, cost_millionths? BIGINT, gas_millionths BIGINT,
-- pnl_millionths? BIGINT, held_s, is_ranked
with rows as not materialized (
  from core.lot_disposals
  union all by name
  from core.lot_wide_disposals
),
valued as not materialized (
  select
    * exclude (ts, proceeds, cost, gas),
    make_timestamp(ts::bigint) as ts,
    case when not isnan(proceeds) then proceeds::bigint end as proceeds_millionths,
    case when not isnan(cost) then cost::bigint end as cost_millionths,
    gas::bigint as gas_millionths,
    (ts::bigint - since::bigint) // 1000000 as held_s
  from rows
),
-- The instants of sales, a token's once. They are fewer and narrower than the rows, which need no order then.
sales as (
  select distinct token_index, ts
  from valued
  where proceeds_millionths is not null
),
prices as (
  select k.token_index, p.ts, p.depth_usd, p.is_thin
  from core.prices p
  join core.lot_tokens k on k.chain = p.chain and k.token = p.token
),
reliable as (
  select s.token_index, s.ts, p.depth_usd
  from sales s
  asof join prices p on p.token_index = s.token_index and p.ts <= s.ts
  where not p.is_thin and s.ts < p.ts + interval 24 hours
)
select
  v.wallet_index,
  v.token_index,
  v.block::bigint as block,
  v.tx_index,
  v.seq,
  v.lot,
  v.kind,
  v.ts,
  v.high::bigint as amount_high,
  v.low::bigint as amount_low,
  v.wide::bignum as amount,
  v.proceeds_millionths,
  v.cost_millionths,
  v.gas_millionths,
  v.proceeds_millionths - v.gas_millionths - v.cost_millionths as pnl_millionths,
  v.held_s,
  v.is_countable = 1 and coalesce(r.depth_usd >= v.proceeds_millionths * 0.000001, false) as is_ranked
from valued v
left join reliable r on r.token_index = v.token_index and r.ts = v.ts
