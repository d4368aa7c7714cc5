-- The results of a trader's fills of a period, by kind of close, category and UTC day of the close. The period begins
-- at `core.period` and ends at the clock. A fill before it never counts, even if its close or its resolution lies in
-- it.
--
-- `payout_points` is the payout minus the price paid in percentage points a share (of a sale the reverse), over fills
-- of markets that have resolved, with or without a close. It is no closing line value; scores are validated by it.
-- `clv_points` is the edge of the fills with a close. Both are means by the cash at risk, which stands beside them.
-- columns: trader, kind, category, day; payout_risk_usd, payout_points? DOUBLE, clv_risk_usd, clv_points? DOUBLE
with fills as (
  select
    f.trader,
    f.kind,
    f.category,
    f.close_at::date as day,
    f.risk_usd,
    f.edge_points,
    case
      when f.size > 0 and o.payout is not null then
        100 * case f.side
          when 'buy' then o.payout::double - f.risk_usd::double / f.size::double
          else 1 - f.risk_usd::double / f.size::double - o.payout::double
        end
    end as payout_points
  from metrics.clv_fills f
  join core.period p on f.ts > p.from_at
  join core.outcomes o on o.market_id = f.market_id and o.outcome = f.outcome
  where f.left_out is null or f.left_out = 'no_close'
)
select
  trader,
  kind,
  category,
  day,
  coalesce(sum(risk_usd) filter (payout_points is not null), 0) as payout_risk_usd,
  sum((payout_points * risk_usd::double)::decimal(38, 12))
    / nullif(sum(risk_usd) filter (payout_points is not null), 0) as payout_points,
  coalesce(sum(risk_usd) filter (edge_points is not null), 0) as clv_risk_usd,
  sum((edge_points::double * risk_usd::double)::decimal(38, 12))
    / nullif(sum(risk_usd) filter (edge_points is not null), 0) as clv_points
from fills
group by trader, kind, category, day
having sum(risk_usd) > 0
