-- A market as a number, in the order of the ids, with its neg-risk group as the number of the group's first market; a
-- market without a group is its own. Markets that are not described yet are here too, where shares were split, merged or
-- redeemed in them.
-- columns: market_index; market_id, venue, group_index, neg_risk_id?, neg_risk_index?
with named as (
  select market_id, venue, neg_risk_id, neg_risk_index
  from core.markets
  union all
  select market_id, min(venue), null, null
  from staging.activity a
  where market_id <> '' and not exists (from core.markets m where m.market_id = a.market_id)
  group by market_id
),
numbered as (
  select *, row_number() over (order by market_id) - 1 as market_index
  from named
)
select
  market_index,
  market_id,
  venue,
  case when neg_risk_id is null then market_index else min(market_index) over (partition by neg_risk_id) end as group_index,
  neg_risk_id,
  neg_risk_index
from numbered
