-- The market and the outcome of a token, by the descriptions of the venues and by the conditions that a chain shows. A
-- row of a chain names the token alone.
-- columns: token_id; market_id, outcome
select token_id, min(market_id) as market_id, arg_min(outcome, market_id) as outcome
from (
  select market_id, unnest(token_ids) as token_id, generate_subscripts(token_ids, 1) - 1 as outcome
  from staging.markets
  union all
  select market_id, unnest(token_ids), generate_subscripts(token_ids, 1) - 1
  from lake.conditions
)
where token_id <> ''
group by token_id
