-- Explains the numbers of an address on venues and chains, down to the transaction: `from core.explain_wallet('0x…')`,
-- with an EVM address in any case. An unknown address has no rows. On venues the rows are those of the address's trader
-- with all its addresses (`core.trader_addresses`). The parts are ordered so that each rests on the previous ones:
--
--   history       whether the whole history is known, and the reason if not; usd is the cash without known shares
--   fill          every fill; amount is + for shares bought and - for sold; usd is the cash received net of fees, - if
--                 paid
--   activity      splits, merges, redemptions, conversions and migrations, with the same signs, and transfers from and to
--                 others, whose usd is a value and no payment (`core.share_transfers`)
--   aside         rows outside all figures: rewards, rebates, deposits, withdrawals, conversions of unknown questions,
--                 transfers between addresses of the trader, and trades in markets without a description
--   position      the shares held, and their cost; from the resolution on their payout
--   untracked     shares sold without a known purchase, and - their proceeds; redeemed cash without known shares has 0
--                 shares
--   realization   usd is the proceeds net of fees; pnl_usd is proceeds - cost
--   market        the result in a market over all time, at its close; usd is the total paid in
--   result        of 30d, 90d and all: pnl_usd is the realized result, usd the volume
--   clv_fill      a fill and its close; usd is the cash at risk
--   clv_left_out  a fill without a close, and the reason (`metrics.clv_fills`)
--   clv_cluster   the sum of a category (place) and a day over all time; usd is the cash at risk in it
--   clv           the closing line value of a kind (place) and a window; one of the two kinds counts
--                 (`metrics.clv_scores`): its value for all time is the clv_score, unless the archetype is unproven
--   trait         further evidence of the archetype
--   archetype     the first rule that fits (`metrics.trader_traits`)
--
-- The parts of the address on its chains follow, from chain_history to behavior: the parts of `core.explain_chains`,
-- which defines them, their places and their sums.
--
-- Three sums give the total_pnl of `marts.pm_wallet` before rounding: the usd of fill, activity, position and
-- untracked; the pnl_usd of realization; the pnl_usd of market. `place` is a market unless stated otherwise. `amount`
-- is shares of an outcome. `ref` is the transaction of a fill, an activity or a realization, and the event of a
-- market. A resolution has no `ref` if the venue does not report its transaction.
--
-- The options narrow the rows: `only_part` to a part; `only_place` to a place or to all below it, such as a venue or
-- one of its markets, a hexadecimal id in any case; `since` (included) and `until` (excluded) to those of a period.
-- `explain_wallet('0x…', only_part := 'fill')`.
-- parameter: address
-- options: only_part, only_place, since, until
-- columns: part, place, ts?, what, amount? DECIMAL(38,6), usd?, pnl_usd?, ref?
with
asked as (
  select coalesce(t.trader, n.name) as trader
  from (select lower(address) as name) n
  left join core.trader_addresses t on t.wallet = n.name
),
addresses as (
  select t.wallet as name
  from core.trader_addresses t
  where t.trader = (from asked)
  union
  from asked
),
fills as (
  select f.*, o.label
  from core.fills f
  join core.outcomes o on o.market_id = f.market_id and o.outcome = f.outcome
  where f.trader = (from asked)
),
moves as (
  select
    a.*,
    case
      when a.kind in ('split', 'transfer_in', 'migrate') then a.size
      when a.kind in ('merge', 'transfer_out') then -a.size
    end as amount,
    case a.kind
      when 'split' then -a.size
      when 'merge' then a.size
      when 'withdrawal' then -a.cash_usd
      when 'transfer_in' then -s.value_usd
      when 'transfer_out' then s.value_usd
      else a.cash_usd
    end as usd,
    (a.kind in ('split', 'merge', 'redeem') and a.market_id <> '')
      or (a.kind = 'convert' and a.index_set is not null)
      or a.kind = 'migrate'
      or s.value_usd is not null as is_counted,
    case when s.value_usd is null then '' else ', valued at ' || s.price_usd || ' by ' || s.price_origin end as price
  from staging.activity a
  semi join addresses n on n.name = a.trader
  left join core.share_transfers s
    on s.wallet = a.trader and s.ts = a.ts and s.tx = a.tx and s.seq = a.seq and s.token_id = a.token_id and s.kind = a.kind
),
positions as (
  select p.*, coalesce(o.label, 'outcome ' || p.outcome) as label, o.payout
  from core.positions p
  left join core.outcomes o on o.market_id = p.market_id and o.outcome = p.outcome
  where p.trader = (from asked)
),
markets as (
  select p.market_id, sum(p.bought_usd) as cost_usd, sum(p.realized_usd) as pnl_usd
  from core.positions p
  where p.trader = (from asked)
  group by p.market_id
),
closes as (
  select
    c.*,
    o.label,
    case c.side when 'buy' then c.risk_usd else c.size - c.risk_usd end / nullif(c.size, 0) as paid,
    c.kind || ': ' || c.side || ' ' || o.label || coalesce(' at ' || round(paid, 6), '') || ' with its fee' as what
  from metrics.clv_fills c
  join core.outcomes o on o.market_id = c.market_id and o.outcome = c.outcome
  where c.trader = (from asked)
),
traits as (
  select columns(* exclude (trader, archetype))::varchar
  from metrics.trader_traits t
  where t.trader = (from asked)
),
stated as (
  select
    0 as step, 'history' as part, h.venue as place, c.as_of as ts, coalesce(h.reason, 'complete') as what, null as amount,
    h.untracked_usd as usd, null as pnl_usd, null as ref, 0 as seq
  from core.history_completeness h
  cross join core.clock c
  where h.trader = (from asked)
  union all
  select
    1, 'fill', f.market_id, f.ts,
    f.side || ' ' || f.label || ' at ' || f.price || coalesce(' as ' || f.role, '') || ', fee ' || f.fee_usd
      || case when f.is_fee_estimated then ' by the market''s rate' else '' end
      || case when f.is_self then ', with oneself' else '' end,
    case f.side when 'buy' then f.size else -f.size end,
    case f.side when 'buy' then -f.cash_usd else f.cash_usd end - f.fee_usd,
    null, f.tx, f.seq
  from fills f
  union all
  select 2, 'activity', m.market_id, m.ts, m.kind || m.price, m.amount, m.usd, null, m.tx, m.seq
  from moves m
  where m.is_counted
  union all
  select 3, 'aside', coalesce(nullif(m.market_id, ''), m.venue), m.ts, m.kind, m.amount, m.usd, null, m.tx, m.seq
  from moves m
  where not m.is_counted
  union all
  select
    3, 'aside', coalesce(f.market_id, f.token_id), f.ts, f.side || ' at ' || f.price || ', not described yet',
    case f.side when 'buy' then f.size else -f.size end, case f.side when 'buy' then -f.cash_usd else f.cash_usd end,
    null, f.tx, f.seq
  from staging.fills f
  semi join addresses n on n.name = f.trader
  anti join core.outcomes o on o.market_id = f.market_id and o.token_id = f.token_id
  union all
  select
    4, 'position', p.market_id, p.last_at,
    p.label || coalesce(', which pays ' || p.payout, ', at its cost'), p.size, p.cost_usd, null, null, p.outcome
  from positions p
  where p.size > 0
  union all
  select
    5, 'untracked', p.market_id, p.last_at, p.label || ', never seen bought', p.size_untracked, -p.untracked_usd, null,
    null, p.outcome
  from positions p
  where p.size_untracked > 0 or p.untracked_usd <> 0
  union all
  select
    6, 'realization', r.market_id, r.ts,
    r.kind || ' of ' || coalesce(o.label, 'outcome ' || r.outcome) || ', cost ' || r.cost_usd, r.size, r.proceeds_usd,
    r.pnl_usd, nullif(r.tx, ''), r.seq
  from core.realizations r
  left join core.outcomes o on o.market_id = r.market_id and o.outcome = r.outcome
  where r.trader = (from asked)
  union all
  select
    7, 'market', m.market_id, t.closed_at,
    case
      when t.closed_at is null then 'open'
      when t.cost_usd < 1 then 'too small to count'
      when t.pnl_usd > 0 then 'won'
      else 'lost'
    end || ': ' || coalesce(n.question, 'not described yet') || ' (fills: ' || coalesce(t.n_fills, 0) || ')',
    null, m.cost_usd, m.pnl_usd, n.event_id, 0
  from markets m
  left join core.trader_markets t on t.trader = (from asked) and t.market_id = m.market_id
  left join core.markets n on n.market_id = m.market_id
  union all
  select
    8, 'result', r.range, c.as_of,
    'won ' || r.n_won || ' of ' || r.n_closed || ' closed markets: ' || r.win_rate || ', shrunk ' || r.shrunk_win_rate
      || ', at least ' || r.lower_win_rate,
    null, r.volume_usd, r.realized_usd, null, 0
  from metrics.trader_results r
  cross join core.clock c
  where r.trader = (from asked)
  union all
  select
    9, 'clv_fill', f.market_id, f.ts,
    f.what || ', closes at ' || f.close_price || ' on ' || f.close_at || ': ' || f.edge_points::decimal(12, 6) || ' points',
    f.size, f.risk_usd, null, f.tx, f.seq
  from closes f
  where f.left_out is null
  union all
  select 10, 'clv_left_out', f.market_id, f.ts, f.what || ': ' || f.left_out, f.size, f.risk_usd, null, f.tx, f.seq
  from closes f
  where f.left_out is not null
  union all
  select
    11, 'clv_cluster', e.category, e.day::timestamp,
    e.kind || ': ' || e.edge_points::decimal(12, 6) || ' points a share, fills: ' || e.n_fills, null, e.risk_usd, null,
    null, 0
  from metrics.clv_clusters e
  where e.trader = (from asked) and e.range = 'all'
  union all
  select
    12, 'clv', v.kind, c.as_of,
    v.range || ': ' || v.skill_points::decimal(12, 6) || ' points, se ' || round(v.skill_se, 6) || '; raw '
      || v.raw_points::decimal(12, 6) || ' of ' || v.n_clusters || ' clusters, which weigh as ' || round(v.n_eff, 2)
      || ', shrunk by v ' || round(v.v, 6) || ', tau2 ' || round(v.tau2, 6) || ' to ' || v.clv_points::decimal(12, 6)
      || '; the role ' || w.role || ' has ' || v.mu_points::decimal(12, 6)
      || '; scored share ' || v.scored_share
      || case when s.is_trusted then coalesce('; q ' || round(s.q, 6), '') || '; counts' else '' end
      || case when not s.is_trusted then '; counts, but its guard does not hold' else '' end,
    null, null, null, null, 0
  from metrics.clv v
  left join metrics.clv_scores s on s.trader = v.trader and s.range = v.range and s.kind = v.kind
  join metrics.trader_traits w on w.trader = v.trader
  cross join core.clock c
  where v.trader = (from asked)
  union all
  select 13, 'trait', t.trait, c.as_of, t.value, null, null, null, null, 0
  from (unpivot traits on columns(*) into name trait value value) t
  cross join core.clock c
  union all
  select 14, 'archetype', 'all', c.as_of, t.archetype, null, null, null, null, 0
  from metrics.trader_traits t
  cross join core.clock c
  where t.trader = (from asked)
  union all
  select
    15 + list_position(
      [
        'chain_history', 'trade', 'transfer', 'lot', 'disposal', 'unmatched', 'gas', 'token', 'chain_result', 'chain_trait',
        'behavior'
      ],
      e.part
    ),
    e.part, e.place, e.ts, e.what, e.amount, e.usd, e.pnl_usd, e.ref, 0
  from core.explain_chains(address) e
)
select
  part,
  place,
  ts,
  what,
  amount::decimal(38, 6) as amount,
  usd::decimal(38, 6) as usd,
  pnl_usd::decimal(38, 6) as pnl_usd,
  ref
from stated
where (only_part is null or part = only_part)
  and (only_place is null or place in (only_place, lower(only_place)) or starts_with(place, only_place || ':'))
  and (since is null or ts >= since::timestamp)
  and (until is null or ts < until::timestamp)
order by step, ts, place, seq, what, amount, usd, pnl_usd, ref
