-- The outcome of a published signal without a grade, 24 hours after the instant as of which it was found (`tick_at`).
-- The baseline is the same outcome at other instants of its entity. Rows arrive late, so a signal is due an hour after
-- its horizon; one without both values has no row, and none after 8 days.
--
--   measure        mid: the odds of outcome 0 of the market; outcome_price: the odds of the traded outcome, of a market
--                  with two; token_price: US dollars for a raw unit of the traded token; mindshare_pct: the share of
--                  the asset in the credit of the 24 hours up to the last whole hour, for a burst and for several
--                  types. A resolved market has its payout
--   is_hit         the value moved on in the direction of the signal: it rose after entry, up, burst and together, and
--                  fell after exit and down. An unchanged value is no hit
--   baseline_rate  the share of hits among `n_baseline` hourly instants of the 7 days that end 24 hours before
--                  `tick_at`: the instants with a value then and 24 hours later. Null without one.
-- columns: id, horizon_s; type, measure, value_before DOUBLE, value_after DOUBLE, is_hit, baseline_rate?, n_baseline
with published as (
  select
    f.id,
    f.type,
    f.entity,
    f.direction in ('entry', 'up', 'burst', 'together') as is_rise,
    f.tick_at,
    map_from_entries(
      list_transform(
        from_json(if(f.type = 'wallet', f.evidence, '[]'), '[{"kind": "VARCHAR", "ref": "VARCHAR"}]'),
        lambda one: struct_pack(k := one.kind, v := one.ref)
      )
    ) as refs
  from lake.feed f
  cross join core.clock c
  where f.tick_at <= c.as_of - interval 25 hours and f.tick_at > c.as_of - interval 192 hours
    and not exists (from lake.grades g where g.id = f.id and g.horizon_s = 86400 and g.graded_at <= c.as_of)
  qualify row_number() over (partition by f.id order by f.published_at) = 1
),
subjects as (
  select id, type, is_rise, tick_at, 'mid' as measure, 'odds' as family, entity as key, false as is_second
  from published
  where type = 'market'
  union all
  select p.id, p.type, p.is_rise, p.tick_at, 'outcome_price', 'odds', o.market_id, o.outcome = 1
  from published p
  join core.outcomes o on o.market_id = p.refs['market'] and o.token_id = p.refs['outcome']
  join core.market_states m on m.market_id = o.market_id and m.n_outcomes = 2
  union all
  select id, type, is_rise, tick_at, 'token_price', 'token', refs['token'], false
  from published
  where refs['token'] is not null
  union all
  select id, type, is_rise, tick_at, 'mindshare_pct', 'mindshare', entity, false
  from published
  where type in ('social', 'signal')
),
-- Instant 0 is the horizon, instant 24 that of the signal, and those from 48 on are the baseline.
instants as (
  select s.*, g.n, s.tick_at + (24 - g.n) * interval 1 hour as moment
  from subjects s
  cross join range(216) g (n)
),
payouts as (
  select o.market_id, m.resolved_at as ts, o.payout::double as value
  from core.outcomes o
  join core.market_states m on m.market_id = o.market_id
  where o.outcome = 0 and o.payout is not null and m.resolved_at is not null
),
days as (
  select d.key, d.ends_at, h.platform, sum(h.credit) as credit, sum(if(h.symbol = d.key, h.credit, 0)) as own
  from (select distinct key, date_trunc('hour', moment) as ends_at from instants where family = 'mindshare') d
  join core.attention_hours h on h.hour_at >= d.ends_at - interval 24 hours and h.hour_at < d.ends_at
  group by d.key, d.ends_at, h.platform
  having sum(h.credit) > 0
),
known as (
  select 'odds' as family, o.market_id as key, o.ts, timestamp '9999-01-01' as to_at, o.mid::double as value
  from core.odds o
  left join payouts p on p.market_id = o.market_id
  where o.mid is not null and (p.ts is null or o.ts < p.ts) and o.market_id in (select key from subjects)
  union all
  select 'odds', market_id, ts, timestamp '9999-01-01', value
  from payouts
  union all
  select 'token', chain || ':' || token, ts, to_at, usd_per_unit
  from core.unit_prices
  where chain || ':' || token in (select key from subjects)
  union all
  select
    'mindshare',
    d.key,
    d.ends_at,
    d.ends_at + interval 1 hour,
    100 * sum((w.weight * (d.own::double / d.credit::double))::decimal(38, 18))::double / sum(w.weight)::double
  from days d
  join core.platforms w on w.platform = d.platform
  group by d.key, d.ends_at
),
valued as (
  select i.*, case when i.moment < k.to_at then if(i.is_second, 1 - k.value, k.value) end as value
  from instants i
  asof left join known k on k.family = i.family and k.key = i.key and k.ts <= i.moment
),
moves as (
  select *, lag(value, 24) over (partition by id order by n) as later
  from valued
),
judged as (
  select *, if(is_rise, later > value, later < value) as is_on
  from moves
  where value is not null and later is not null
),
baselines as (
  select id, count(*) as n_baseline, count(*) filter (is_on) as n_on
  from judged
  where n >= 48
  group by id
)
select
  j.id,
  86400 as horizon_s,
  j.type,
  j.measure,
  j.value as value_before,
  j.later as value_after,
  j.is_on as is_hit,
  b.n_on / b.n_baseline as baseline_rate,
  coalesce(b.n_baseline, 0) as n_baseline
from judged j
left join baselines b on b.id = j.id
where j.n = 24
