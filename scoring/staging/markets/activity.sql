-- A movement of a trader's shares or cash without a match, up to the clock, within the coverage of its account, or of a
-- source that has all accounts. Within the interval of such a source of higher precedence the others do not count. System
-- addresses and combos are excluded. A venue may write other sizes than the number of sets (`core.venues`). A set is a
-- dollar, so the splits and merges of such a venue have the size of their cash. A transfer or a migration that names a
-- token alone has its market. `n_questions` are the questions of the market of a conversion at its time.
-- columns: venue, trader, ts, tx, kind, market_id, token_id, seq; size?, cash_usd?, neg_risk_id?, index_set?,
-- n_questions?, counterparty?, source
with stretches as (
  select *
  from staging.coverage_intervals
  where dataset = 'activity'
),
wholes as (
  select source, part, from_at, to_at, precedence
  from stretches
  where key = ''
),
precedences as (
  select source, max(precedence) as precedence
  from stretches
  group by source
),
covered as (
  select a.*
  from lake.activity a
  semi join stretches s
    on s.source = a.source and s.part = a.venue and s.key = a.trader and a.ts >= s.from_at and a.ts < s.to_at
  where a.trader <> ''
  union all
  select a.*
  from lake.activity a
  semi join wholes w on w.source = a.source and w.part = a.venue and a.ts >= w.from_at and a.ts < w.to_at
  -- A source may have covered an account before it covered all.
  anti join stretches s
    on s.source = a.source and s.part = a.venue and s.key <> '' and s.key = a.trader and a.ts >= s.from_at and a.ts < s.to_at
)
select
  a.venue,
  a.trader,
  a.ts,
  a.tx,
  a.kind,
  case when a.market_id = '' and a.token_id <> '' then coalesce(t.market_id, '') else a.market_id end as market_id,
  a.token_id,
  a.seq,
  case when v.is_set_by_cash and a.kind in ('split', 'merge') then a.cash_usd else a.size end as size,
  a.cash_usd,
  a.neg_risk_id,
  a.index_set,
  a.n_questions::bigint as n_questions,
  a.counterparty,
  a.source
from covered a
join precedences p on p.source = a.source
left join core.venues v on v.venue = a.venue
left join staging.outcome_tokens t on t.token_id = a.token_id
anti join wholes w on w.part = a.venue and w.precedence > p.precedence and a.ts >= w.from_at and a.ts < w.to_at
where a.ts <= (select as_of from core.clock)
  and (starts_with(a.market_id, v.combo_prefix) and length(a.market_id) = v.combo_length) is not true
  and not exists (from staging.system_addresses s where s.address = a.trader)
