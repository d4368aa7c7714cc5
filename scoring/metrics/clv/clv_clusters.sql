-- A trader's closing line value in one category on one day: the mean of the fills' `edge_points`, weighted by the cash
-- at risk in each, and the sum of that cash. The unit of evidence is the category and the UTC day of the close: events
-- of one day in one category share news, and count as one. A cluster of 30 or 90 days has the fills whose close lies in
-- them; the other fills of its first day are missing there.
--
-- `maker_usd` is the part of `risk_usd` that was made. `price_variance` is the mean of p (1 - p), weighted likewise:
-- the variance of a share's payout at its price p. `n_resolved` counts the fills whose market resolved before their
-- window was over (`metrics.clv_fills`).
-- columns: trader, range, kind, category, day; edge_points DECIMAL(18,12), risk_usd, maker_usd, price_variance DOUBLE,
-- n_fills, n_resolved
with ranges as (
  select * from (values ('all', 1), ('90d', 2), ('30d', 3)) as t (range, depth)
),
scored as (
  select
    f.*,
    f.close_at::date as day,
    -- The number of ranges that contain the close; each contains the shorter ones.
    1 + (f.close_at > c.as_of - interval 2160 hours)::integer + (f.close_at > c.as_of - interval 720 hours)::integer as depth
  from metrics.clv_fills f
  cross join core.clock c
  where f.left_out is null
),
parts as (
  select
    trader,
    kind,
    category,
    day,
    depth,
    sum((edge_points::double * risk_usd::double)::decimal(38, 18)) as weighted,
    sum((price::double * (1 - price::double) * risk_usd::double)::decimal(38, 18)) as varied,
    sum(risk_usd) as risk_usd,
    coalesce(sum(risk_usd) filter (role = 'maker'), 0) as maker_usd,
    count(*) as n_fills,
    count(*) filter (is_resolved) as n_resolved
  from scored
  group by trader, kind, category, day, depth
),
summed as (
  select
    p.trader,
    r.range,
    p.kind,
    p.category,
    p.day,
    sum(p.weighted) as weighted,
    sum(p.varied) as varied,
    sum(p.risk_usd) as risk_usd,
    sum(p.maker_usd) as maker_usd,
    sum(p.n_fills) as n_fills,
    sum(p.n_resolved) as n_resolved
  from parts p
  join ranges r on p.depth >= r.depth
  group by p.trader, r.range, p.kind, p.category, p.day
)
select
  trader,
  range,
  kind,
  category,
  day,
  weighted / risk_usd as edge_points,
  risk_usd,
  maker_usd,
  varied / risk_usd as price_variance,
  n_fills,
  n_resolved
from summed
where risk_usd > 0
