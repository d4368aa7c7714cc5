-- The taker's fee rate of a market and the exponent of its formula from an instant on, one row a change. The source of
-- its description gave them up to the clock. The first known ones also hold before their observation. A null rate is
-- unknown. A null exponent is not stated.
-- columns: market_id, from_at; taker_fee_rate?, fee_exponent? DECIMAL(9,6)
with described as (
  select
    d.market_id,
    d.seen_at,
    d.taker_fee_rate,
    d.fee_exponent,
    row_number() over (partition by d.market_id order by d.seen_at) as nth,
    lag(struct_pack(rate := d.taker_fee_rate, exponent := d.fee_exponent)) over (
      partition by d.market_id order by d.seen_at
    ) as before
  from lake.markets d
  join staging.markets m on m.market_id = d.market_id and m.source = d.source
  -- A market that was first seen after the clock has its first later description alone.
  where d.seen_at <= m.seen_at
)
select
  market_id,
  case when nth = 1 then timestamp '1970-01-01' else seen_at end as from_at,
  taker_fee_rate,
  fee_exponent
from described
where nth = 1 or taker_fee_rate is distinct from before.rate or fee_exponent is distinct from before.exponent
