-- When a wallet trades on one chain. `n_day_trades` is the number of trades of its seventh busiest day, 0 with fewer
-- days; `n_hour_max` the most transactions with a trade in one hour; `active_hours_share` the share of the 168 hours of
-- its busiest week with a trade. `n_washes` counts the sales within 60 seconds of a purchase of the same token, with
-- amounts that differ by less than 1 %.
-- columns: wallet, chain; n_day_trades, n_hour_max, active_hours_share, n_washes
with by_day as (
  select
    wallet,
    chain,
    count(*) as n_trades,
    row_number() over (partition by wallet, chain order by count(*) desc, ts::date) as place
  from core.trades
  group by wallet, chain, ts::date
),
by_hour as (
  select wallet, chain, time_bucket(interval 1 hour, ts) as hour_at, count(distinct tx) as n_transactions
  from core.trades
  group by wallet, chain, time_bucket(interval 1 hour, ts)
),
hours as (
  select wallet, chain, max(n_transactions) as n_hour_max
  from by_hour
  group by wallet, chain
),
weeks as (
  select wallet, chain, max(n_hours) / 168 as active_hours_share
  from (
    select wallet, chain, count(*) as n_hours
    from by_hour
    group by wallet, chain, time_bucket(interval 7 days, hour_at)
  )
  group by wallet, chain
),
purchases as (
  select
    wallet,
    chain,
    token_bought as token,
    ts,
    amount_bought::double as amount,
    -- The minutes of the sales that may follow within 60 seconds.
    unnest([time_bucket(interval 1 minute, ts), time_bucket(interval 1 minute, ts) + interval 1 minute]) as minute_at
  from core.trades
),
sales as (
  select
    wallet,
    chain,
    token_sold as token,
    block,
    tx,
    seq,
    ts,
    amount_sold::double as amount,
    time_bucket(interval 1 minute, ts) as minute_at
  from core.trades t
  where not exists (from core.tokens k where k.chain = t.chain and k.token = t.token_sold and k.kind in ('stable', 'native'))
),
-- Not a semi join: DuckDB compares all pairs of one whose condition computes with both sides.
washes as (
  select s.wallet, s.chain, count(distinct (s.block, s.tx, s.seq)) as n_washes
  from sales s
  join purchases p
    on p.wallet = s.wallet and p.chain = s.chain and p.token = s.token and p.minute_at = s.minute_at
    and p.ts <= s.ts and p.ts >= s.ts - interval 60 seconds
    and abs(s.amount - p.amount) < 0.01 * greatest(s.amount, p.amount)
  group by s.wallet, s.chain
)
select
  h.wallet,
  h.chain,
  coalesce(d.n_trades, 0) as n_day_trades,
  h.n_hour_max,
  w.active_hours_share,
  coalesce(x.n_washes, 0) as n_washes
from hours h
join weeks w on w.wallet = h.wallet and w.chain = h.chain
left join by_day d on d.wallet = h.wallet and d.chain = h.chain and d.place = 7
left join washes x on x.wallet = h.wallet and x.chain = h.chain
