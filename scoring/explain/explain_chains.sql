-- Explains the numbers of a wallet on its chains, down to the transaction: `from core.explain_chains('0x…')`, with an
-- EVM address in any case. An unknown address has no rows. The parts are ordered so that each rests on the previous
-- ones:
--
--   chain_history   whether the history on a chain is complete; usd is the proceeds without a known purchase
--   trade           one asset down, one up (`core.trades`); usd is its value. One without a value names the reason for
--                   each leg, and the pools of the transaction whose tokens are unknown: their swaps give no price
--   transfer        a movement that is no trade; amount is positive for a receipt and negative for a transfer out
--   lot             an acquisition and its rest (`core.lots`); usd is its cost, gas included
--   disposal        the part of a sale or transfer from one lot; usd is the proceeds, pnl_usd is proceeds - gas - cost
--   unranked        a disposal whose result counts in no list, with the same figures (`core.disposals`)
--   unmatched       the part of a sale or transfer that no lot covered; usd is its proceeds, which are no profit
--   balance         what the wallet held of a token after a block (`core.balance_checks`), beside its open lots then,
--                   and what the lake has no movement for
--   gas             the fee of a transaction without a trade
--   token           the sums of a token; usd is the value sold, pnl_usd the realized result, unranked ones apart
--   chain_result    of 7d, 30d, 90d and all: pnl_usd is the realized result, unranked ones apart, usd the volume
--   chain_trait     further evidence of archetype and tags
--   behavior        the first rule that fits, and the tags (`metrics.wallet_traits`)
--
-- Three sums give the realized_all_time of `marts.wallet` on a chain before rounding: the pnl_usd of disposal, of
-- token, and of the chain_result of all. The pnl_usd of unranked adds up to its unranked_all_time, the usd of unmatched
-- to the usd of chain_history, and the usd of gas to its gas_outside_trades. `place` is a chain, or a token as `<chain>:<token>`. `amount` is in whole units, and null
-- where the decimals are not known or the number is too large; the raw units are in the tables of `core`. `ref` is a
-- transaction.
-- parameter: address
-- columns: part, place, ts?, what, amount? DECIMAL(38,6), usd?, pnl_usd?, ref?
with
wallets as (
  select case when starts_with(lower(address), '0x') then lower(address) else address end as wallet
),
known as (
  select chain, token, decimals, coalesce(symbol || ' ', '') || token as label
  from core.tokens
),
trades as (
  select
    t.*,
    coalesce(s.label, t.token_sold) as sold,
    coalesce(b.label, t.token_bought) as bought
  from core.trades t
  join wallets w on w.wallet = t.wallet
  left join known s on s.chain = t.chain and s.token = t.token_sold
  left join known b on b.chain = t.chain and b.token = t.token_bought
),
-- The reason why a leg of a trade has no price that counts.
unpriced_legs as (
  select
    l.chain,
    l.block,
    l.tx,
    l.seq,
    l.wallet,
    string_agg(
      case
        when k.decimals is null then 'the decimals of ' || l.token || ' are unknown'
        when p.ts > l.ts - interval 24 hours and p.is_thin then l.token || ' has a thin price alone'
        when p.ts > l.ts - interval 24 hours then 'the value of ' || l.token || ' is 2 billion or more'
        else 'no price of ' || l.token || ' in 24 hours'
      end,
      ', ' order by l.place
    ) as reasons
  from (
    select chain, block, tx, seq, wallet, ts, token_sold as token, 0 as place from trades where usd is null
    union all
    select chain, block, tx, seq, wallet, ts, token_bought, 1 from trades where usd is null
  ) l
  left join core.tokens k on k.chain = l.chain and k.token = l.token
  asof left join core.prices p on p.chain = l.chain and p.token = l.token and p.ts <= l.ts
  group by l.chain, l.block, l.tx, l.seq, l.wallet
),
unknown_pools as (
  select
    s.chain,
    s.block,
    s.tx,
    string_agg(distinct s.family || ' ' || s.pool, ', ' order by s.family || ' ' || s.pool) as pools
  from staging.swaps s
  semi join trades t on t.chain = s.chain and t.block = s.block and t.tx = s.tx and t.usd is null
  left join staging.pools p on p.chain = s.chain and p.pool = s.pool
  where s.pool is not null and s.token0 is null and s.coin0_index is not null and p.tokens is null
  group by s.chain, s.block, s.tx
),
tokens as (
  select
    d.chain,
    d.token,
    sum(d.n_buys) as n_buys,
    sum(d.n_sells) as n_sells,
    sum(d.n_matched) as n_matched,
    sum(d.bought_usd) as bought_usd,
    sum(d.sold_usd) as sold_usd,
    sum(d.realized_usd) as realized_usd,
    sum(d.unranked_usd) as unranked_usd
  from core.wallet_days d
  join wallets w on w.wallet = d.wallet
  where d.token <> ''
  group by d.chain, d.token
),
traits as (
  select t.chain, columns(t.* exclude (wallet, chain, archetype, tags))::varchar
  from metrics.wallet_traits t
  join wallets w on w.wallet = t.wallet
),
-- Each part writes its place: DuckDB 1.5 ends, or loses rows, when a filter on one that is put together from the null
-- token of some parts goes down into the files.
stated as (
  select
    0 as step, 'chain_history' as part, r.chain as place, r.chain as chain, null as token, c.as_of as ts,
    case when r.is_complete then 'complete' else 'more than 5 % of the volume was sold without a known purchase' end as what,
    null::varchar as raw, r.unmatched_usd as usd, null as pnl_usd, null as ref, 0 as block, 0 as tx_index, 0 as seq
  from metrics.wallet_results r
  join wallets w on w.wallet = r.wallet
  cross join core.clock c
  where r.range = 'all'
  union all
  select
    1, 'trade', t.chain, t.chain, null, t.ts,
    t.kind || ' of ' || t.amount_sold::varchar || ' units of ' || t.sold || ' for ' || t.amount_bought::varchar
      || ' units of ' || t.bought || ' by ' || t.protocol || ', swaps: ' || t.n_swaps || ', value by ' || t.usd_method
      || ', gas ' || t.gas_usd || case when t.is_self then ', with oneself' else '' end
      || case when t.is_bound then ', a leg is a bound' else '' end
      || case when t.is_certain then '' else ', or no trade' end
      || coalesce(', not priced: ' || u.reasons, '') || coalesce(', pools of unknown tokens: ' || q.pools, ''),
    null, t.usd, null, t.tx, t.block, t.tx_index, t.seq
  from trades t
  left join unpriced_legs u
    on u.chain = t.chain and u.block = t.block and u.tx = t.tx and u.seq = t.seq and u.wallet = t.wallet
  left join unknown_pools q on q.chain = t.chain and q.block = t.block and q.tx = t.tx and t.usd is null
  union all
  select
    2, 'transfer', t.chain || ':' || t.token, t.chain, t.token, t.ts,
    t.direction || coalesce(case t.direction when 'in' then ' from ' else ' to ' end || nullif(t.counterparty, ''), '')
      || ', ' || t.basis,
    case t.direction when 'in' then '' else '-' end || t.amount::varchar, t.usd, null, t.tx, t.block, t.tx_index, t.seq
  from core.transfers t
  join wallets w on w.wallet = t.wallet
  union all
  select
    3, 'lot', l.chain || ':' || l.token, l.chain, l.token, l.ts,
    'lot ' || l.lot || ' by ' || l.origin || ', left: ' || l.amount_left::varchar || ' of ' || l.amount::varchar || ' units'
      || coalesce(', at cost ' || l.cost_left_usd, ', not priced'),
    l.amount::varchar, l.cost_usd, null, l.tx, 0, 0, l.lot
  from core.lots l
  -- Not a join: only a literal filter goes down into the view, to the files that it reads.
  where l.wallet = case when starts_with(lower(address), '0x') then lower(address) else address end
  union all
  select
    4, if(d.is_ranked or d.pnl_usd is null, 'disposal', 'unranked'), d.chain || ':' || d.token, d.chain, d.token, d.ts,
    d.kind || ' of lot ' || d.lot || ', cost ' || coalesce(d.cost_usd::varchar, 'not priced') || ', gas ' || d.gas_usd
      || ', held for ' || d.held_s || ' s',
    d.amount::varchar, d.proceeds_usd, d.pnl_usd, d.tx, d.block, d.tx_index, d.seq
  from core.disposals d
  -- A literal filter, as of `core.lots`.
  where d.wallet = case when starts_with(lower(address), '0x') then lower(address) else address end
  union all
  select
    5, 'unmatched', u.chain || ':' || u.token, u.chain, u.token, u.ts, u.kind || ', never seen bought', u.amount::varchar,
    u.proceeds_usd, null, u.tx, u.block, u.tx_index, u.seq
  from core.unmatched u
  join wallets w on w.wallet = u.wallet
  union all
  select
    6, 'balance', b.chain || ':' || b.token, b.chain, b.token, b.seen_at,
    'held after block ' || b.block || ': ' || b.amount::varchar || ' units, in lots ' || b.amount_lots::varchar
      || case when b.amount_fees::varchar <> '0' then ', paid as fees ' || b.amount_fees::varchar else '' end
      || ', untracked ' || b.amount_untracked::varchar
      || case when b.amount_unmatched::varchar <> '0' then ', left without a lot ' || b.amount_unmatched::varchar else '' end,
    b.amount::varchar, null, null, null, b.block, 0, 0
  from core.balance_checks b
  join wallets w on w.wallet = b.wallet
  union all
  select
    7, 'gas', g.chain, g.chain, null, g.ts,
    case when g.is_ok then 'a transaction without a trade' else 'a failed transaction' end,
    null, g.gas_usd, null, g.tx, 0, 0, 0
  from core.other_gas g
  join wallets w on w.wallet = g.wallet
  union all
  select
    8, 'token', t.chain || ':' || t.token, t.chain, t.token, c.as_of,
    'bought ' || t.n_buys || ' times for ' || t.bought_usd || ', sold ' || t.n_sells || ' times, with a lot ' || t.n_matched
      || '; unranked ' || t.unranked_usd,
    null, t.sold_usd, t.realized_usd, null, 0, 0, 0
  from tokens t
  cross join core.clock c
  union all
  select
    9, 'chain_result', r.chain, r.chain, null, c.as_of,
    r.range || ': won ' || r.n_won || ' of ' || r.n_closed || ' closed tokens: ' || r.win_rate || ', shrunk '
      || r.shrunk_win_rate || ', at least ' || r.lower_win_rate || '; unranked ' || r.unranked_usd,
    null, r.volume_usd, r.realized_usd, null, 0, 0, 0
  from metrics.wallet_results r
  join wallets w on w.wallet = r.wallet
  cross join core.clock c
  union all
  select 10, 'chain_trait', t.chain, t.chain, null, c.as_of, t.trait || ': ' || t.value, null, null, null, null, 0, 0, 0
  from (unpivot traits on columns(* exclude chain) into name trait value value) t
  cross join core.clock c
  union all
  select
    11, 'behavior', t.chain, t.chain, null, c.as_of,
    t.archetype || coalesce(': ' || nullif(array_to_string(t.tags, ', '), ''), ''), null, null, null, null, 0, 0, 0
  from metrics.wallet_traits t
  join wallets w on w.wallet = t.wallet
  cross join core.clock c
),
-- The digits of a raw amount, with a zero before the point where it is below one unit.
written as (
  select
    s.*,
    k.decimals,
    lpad(ltrim(s.raw, '-'), greatest(length(ltrim(s.raw, '-')), k.decimals + 1)::integer, '0') as digits
  from stated s
  left join core.tokens k on k.chain = s.chain and k.token = s.token
)
select
  part,
  place,
  ts,
  what,
  try_cast(
    case when starts_with(raw, '-') then '-' else '' end
      || left(digits, length(digits) - decimals) || '.' || right(digits, decimals) as decimal(38, 6)
  ) as amount,
  usd::decimal(38, 6) as usd,
  pnl_usd::decimal(38, 6) as pnl_usd,
  ref
from written
order by step, chain, ts, token nulls first, block, tx_index, seq, what, ref
