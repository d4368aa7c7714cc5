-- A fill and its close, as `metrics.clv_fills` describes both: the part of that table which its readers need, by numbers.
-- Two rows of long texts for each fill would take longer to store than the closes to find.
-- ordered: no
-- columns: trader_index, kind, ts, seq; market_index, outcome, category, side, role?, price, close_at?,
-- close_price? DECIMAL(9,6), edge_points? DECIMAL(18,12), risk_usd DECIMAL(18,6), is_resolved, left_out?
with starts as (
  select
    n.market_index,
    c.outcome,
    -- Arithmetic of 64 bits takes a tenth of the time of 128 bits.
    c.size::decimal(18, 6) as size,
    c.cash_usd::decimal(18, 6) as cash_usd,
    c.n_takers,
    c.mid
  from core.closes c
  join core.ledger_markets n on n.market_id = c.market_id
),
shares as (
  select * replace (size::decimal(18, 6) as size, cash_usd::decimal(18, 6) as cash_usd)
  from core.close_shares
),
known as (
  select
    f.trader_index,
    f.ts,
    f.seq,
    f.market_index,
    f.outcome,
    f.side,
    f.role,
    f.price,
    f.size::decimal(18, 6) as size,
    f.cash_usd::decimal(18, 6) as cash_usd,
    f.fee_usd::decimal(18, 6) as fee_usd,
    f.is_self,
    coalesce(m.category, '') as category,
    m.starts_at,
    m.resolved_at,
    m.n_outcomes = 2 and f.outcome = 1 as is_mirrored,
    case when m.n_outcomes = 2 then 0 else f.outcome end as book,
    coalesce(m.resolved_at > f.ts and m.resolved_at <= f.ts + interval 25 hours, false) as ends_early
  from core.fills f
  join core.ledger_markets m on m.market_index = f.market_index
),
beside as (
  select
    k.*,
    d.kind,
    case
      when d.kind = 'event_start' then k.starts_at
      when k.ends_early then k.resolved_at
      else k.ts + interval 24 hours
    end as close_at,
    d.kind = 'markout_24h' and k.ends_early as is_resolved,
    case
      when d.kind = 'event_start' and k.ts >= k.starts_at then 'in_play'
      when d.kind = 'event_start' and k.ts >= k.starts_at - interval 15 minutes then 'start'
      when d.kind = 'event_start' then null
      when case when k.ends_early then k.resolved_at else k.ts + interval 25 hours end >= k.starts_at then 'in_play'
      when k.ends_early and k.ts >= k.resolved_at - interval 2 hours then 'start'
    end as late,
    case d.kind when 'event_start' then c.size - coalesce(w.size, 0) else o.size end as others_size,
    case
      when d.kind = 'markout_24h' then o.cash_usd
      when k.is_mirrored then c.cash_usd - coalesce(w.size, 0) + coalesce(w.cash_usd, 0)
      else c.cash_usd - coalesce(w.cash_usd, 0)
    end as others_usd,
    case d.kind
      when 'event_start' then coalesce(c.n_takers - coalesce(w.is_taker, false)::integer >= 3, false)
      else coalesce(o.has_takers, false)
    end as has_takers,
    case d.kind when 'event_start' then c.mid else o.mid end as mid
  from known k
  left join starts c on c.market_index = k.market_index and c.outcome = k.outcome
  left join shares w on w.trader_index = k.trader_index and w.market_index = k.market_index and w.outcome = k.book
  left join core.markouts o on o.trader_index = k.trader_index and o.ts = k.ts and o.seq = k.seq
  cross join (values ('event_start'), ('markout_24h')) as d (kind)
  -- One condition over both tables: a filter on the fills alone makes DuckDB underestimate them and hold them in memory
  -- for the join.
  where case when k.size = 0 then false else d.kind = 'markout_24h' or k.starts_at is not null end
),
closed as (
  select
    * exclude (size, price),
    size,
    price,
    -- If a tape lacks takers, the remainder of the others may have no valid price.
    (
      case
        when has_takers and others_size >= 200 and others_usd between 0 and others_size then others_usd / others_size
        else mid
      end
    )::decimal(9, 6) as close_price,
    (case side when 'buy' then cash_usd + fee_usd else cash_usd - fee_usd end) / size as paid,
    case side when 'buy' then cash_usd + fee_usd else size - cash_usd + fee_usd end as risk_usd
  from beside
),
judged as (
  select
    *,
    case
      when late is not null then late
      when price < 0.02 or price > 0.98 then 'extreme'
      when close_price is null then 'no_close'
      when is_self then 'self'
    end as left_out
  from closed
)
select
  trader_index,
  kind,
  ts,
  seq,
  market_index,
  outcome,
  category,
  side,
  role,
  price,
  close_at,
  close_price,
  case
    when left_out is null then 100 * (case side when 'buy' then close_price - paid else paid - close_price end)
  end as edge_points,
  risk_usd,
  is_resolved,
  left_out
from judged
