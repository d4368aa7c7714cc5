-- A trader's closing line value in one category on one day: the mean of the fills' `edge_points`, weighted by the cash
-- at risk in each, and the sum of that cash. The unit of evidence is the category and the UTC day of the close: events
-- of one day in one category share news, and count as one. A cluster of 30 or 90 days has the fills whose close lies in
-- them; the other fills of its first day are missing there.
--
-- `maker_usd` is the part of `risk_usd` that was made. `price_variance` is the mean of p (1 - p), weighted likewise:
-- the variance of a share's payout at its price p. `n_resolved` counts the fills whose market resolved before their
-- window was over (`metrics.clv_fills`).
-- columns: trader, range, kind, category, day; edge_points DECIMAL(18,12), risk_usd DECIMAL(18,6),
-- maker_usd DECIMAL(18,6), price_variance DOUBLE, n_fills, n_resolved
with ranges as (
  select * from (values ('all', 1), ('90d', 2), ('30d', 3)) as t (range, depth)
),
-- The ranges that a sum belongs to. Within most days all closes are in the same ranges, which have the same cluster.
-- On a split day, the first of a range, each range sums its own fills.
spans as (
  select false as is_split, depth, 1 as first_depth, depth as last_depth
  from ranges
  union all
  select true, c.depth, r.depth, r.depth
  from ranges c
  join ranges r on r.depth <= c.depth
),
scored as (
  select
    f.*,
    f.close_at::date as day,
    -- The number of ranges that contain the close; each contains the shorter ones.
    1 + (f.close_at > c.as_of - interval 2160 hours)::integer + (f.close_at > c.as_of - interval 720 hours)::integer as depth,
    day in ((c.as_of - interval 2160 hours)::date, (c.as_of - interval 720 hours)::date) as is_split
  from metrics.clv_edges f
  cross join core.clock c
  where f.left_out is null
),
summed as (
  select
    trader_index,
    kind,
    category,
    day,
    first_depth,
    last_depth,
    sum((edge_points::double * risk_usd::double)::decimal(38, 18)) as weighted,
    sum((price::double * (1 - price::double) * risk_usd::double)::decimal(38, 18)) as varied,
    sum(risk_usd)::decimal(18, 6) as risk_usd,
    coalesce(sum(risk_usd) filter (role = 'maker'), 0)::decimal(18, 6) as maker_usd,
    count(*) as n_fills,
    count(*) filter (is_resolved) as n_resolved
  from scored f
  join spans s on s.is_split = f.is_split and s.depth = f.depth
  group by trader_index, kind, category, day, first_depth, last_depth
),
clusters as (
  select *, weighted / risk_usd as edge_points, varied / risk_usd as price_variance
  from summed
  where risk_usd > 0
)
select
  t.trader,
  r.range,
  c.kind,
  c.category,
  c.day,
  c.edge_points,
  c.risk_usd,
  c.maker_usd,
  c.price_variance,
  c.n_fills,
  c.n_resolved
from clusters c
join ranges r on r.depth between c.first_depth and c.last_depth
join core.ledger_traders t on t.trader_index = c.trader_index
