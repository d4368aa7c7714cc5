-- The number of a market, in the order of the ids, with the facts of `core.markets` that models of numbers need.
-- `group_index` is the number of the first market of its neg-risk group; a market without a group is its own group.
-- Markets without a description are included if shares were split, merged, redeemed or transferred in them. They have no event and
-- no outcomes.
-- numbers: market_index by market_id
-- columns: market_index; market_id, venue, group_index, neg_risk_id?, neg_risk_index?, event_id?, category?, n_outcomes?,
-- starts_at?, starts_by?, resolved_at?
with named as (
  select market_id, venue, neg_risk_id, neg_risk_index, event_id, category, n_outcomes, starts_at, starts_by, resolved_at
  from core.markets
  union all
  select market_id, min(venue), null, null, null, null, null, null, null, null
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
  neg_risk_index,
  event_id,
  category,
  n_outcomes,
  starts_at,
  starts_by,
  resolved_at
from numbered
