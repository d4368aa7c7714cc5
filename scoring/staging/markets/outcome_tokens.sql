-- The market of an outcome token, by the descriptions of the venues and by the conditions that a chain shows. A row of a
-- chain names the token alone.
-- columns: token_id; market_id
select token_id, min(market_id) as market_id
from (
  select market_id, unnest(token_ids) as token_id
  from staging.markets
  union all
  select market_id, unnest(token_ids) as token_id
  from lake.conditions
)
where token_id <> ''
group by token_id
