-- A wallet's result on one chain over 7d, 30d, 90d or all time: the only model of it. Lists, profiles, chat, alerts and
-- traits read it. A window is (clock - length, clock].
--
--   realized_usd     sum of the ranked results of its disposals, by the time of sale (`core.disposals`)
--   unranked_usd     sum of its other results, no part of realized_usd: the price is thin, or the stock could not be sold
--   unmatched_usd    proceeds of sales without a known purchase, no part of the result
--   volume_usd       value of its trades, each once, without trades with itself
--   gas_usd          gas of transactions without a trade; gas of trades is in the result
--   n_closed, n_won  tokens with a matched sale of a known result, ranked or not, and those with a sum above 0. Stables
--                    do not count
--   win_rate         n_won / n_closed; `lower_win_rate` is Wilson's lower 95 % bound. `shrunk_win_rate` is shrunk
--                    towards the share of all wallets, which counts as ten tokens
--   is_complete      over all time, at most 5 % of the volume is unmatched. Stables and the chain's coin do not count,
--                    since wallets are funded with them.
-- columns: wallet, chain, range; realized_usd, unranked_usd, unmatched_usd, volume_usd, gas_usd, n_trades, n_closed, n_won,
-- win_rate, shrunk_win_rate, lower_win_rate, is_complete
with ranges as (
  select *
  from (
    values ('7d', interval 168 hours), ('30d', interval 720 hours), ('90d', interval 2160 hours), ('all', null)
  ) as t (range, length)
),
windows as (
  select r.range, coalesce(c.as_of - r.length, timestamp '0001-01-01') as from_at, c.as_of as to_at
  from ranges r
  cross join core.clock c
),
traded as (
  select t.wallet, t.chain, w.range, count(*) as n_trades, sum(t.usd) filter (not t.is_self) as volume_usd
  from core.trades t
  join windows w on t.ts > w.from_at and t.ts <= w.to_at
  group by t.wallet, t.chain, w.range
),
by_token as (
  select
    a.wallet_index,
    a.token_index,
    w.range,
    sum(a.pnl_millionths * 0.000001) as pnl_usd,
    sum(a.pnl_millionths * 0.000001) filter (a.is_ranked) as realized_usd,
    sum(a.pnl_millionths * 0.000001) filter (not a.is_ranked) as unranked_usd
  from core.allocations a
  join windows w on a.ts > w.from_at and a.ts <= w.to_at
  where a.pnl_millionths is not null
  group by a.wallet_index, a.token_index, w.range
),
realized as (
  select
    w.wallet,
    k.chain,
    b.range,
    sum(b.realized_usd) as realized_usd,
    sum(b.unranked_usd) as unranked_usd,
    count(*) filter (k.moneyness < 2) as n_closed,
    count(*) filter (k.moneyness < 2 and b.pnl_usd > 0) as n_won
  from by_token b
  join core.lot_wallets w on w.wallet_index = b.wallet_index
  join core.lot_tokens k on k.token_index = b.token_index
  group by w.wallet, k.chain, b.range
),
population as (
  select range, sum(n_won)::double / nullif(sum(n_closed), 0) as share
  from realized
  group by range
),
lacking as (
  select
    u.wallet,
    u.chain,
    w.range,
    sum(u.proceeds_usd) as unmatched_usd,
    sum(u.proceeds_usd) filter (k.moneyness = 0) as unknown_usd
  from core.unmatched u
  join windows w on u.ts > w.from_at and u.ts <= w.to_at
  join core.lot_tokens k on k.chain = u.chain and k.token = u.token
  group by u.wallet, u.chain, w.range
),
spent as (
  select g.wallet, g.chain, w.range, sum(g.gas_usd) as gas_usd
  from core.other_gas g
  join windows w on g.ts > w.from_at and g.ts <= w.to_at
  group by g.wallet, g.chain, w.range
),
completeness as (
  select t.wallet, t.chain, coalesce(l.unknown_usd, 0) <= 0.05 * coalesce(t.volume_usd, 0) as is_complete
  from traded t
  left join lacking l on l.wallet = t.wallet and l.chain = t.chain and l.range = t.range
  where t.range = 'all'
),
counted as (
  select
    h.wallet,
    h.chain,
    w.range,
    coalesce(r.realized_usd, 0) as realized_usd,
    coalesce(r.unranked_usd, 0) as unranked_usd,
    coalesce(l.unmatched_usd, 0) as unmatched_usd,
    coalesce(t.volume_usd, 0) as volume_usd,
    coalesce(s.gas_usd, 0) as gas_usd,
    coalesce(t.n_trades, 0) as n_trades,
    coalesce(r.n_closed, 0) as n_closed,
    coalesce(r.n_won, 0) as n_won,
    coalesce(p.share, 0) as share,
    h.is_complete
  from completeness h
  cross join windows w
  left join realized r on r.wallet = h.wallet and r.chain = h.chain and r.range = w.range
  left join traded t on t.wallet = h.wallet and t.chain = h.chain and t.range = w.range
  left join lacking l on l.wallet = h.wallet and l.chain = h.chain and l.range = w.range
  left join spent s on s.wallet = h.wallet and s.chain = h.chain and s.range = w.range
  left join population p on p.range = w.range
)
select
  wallet,
  chain,
  range,
  realized_usd,
  unranked_usd,
  unmatched_usd,
  volume_usd,
  gas_usd,
  n_trades,
  n_closed,
  n_won,
  case when n_closed > 0 then n_won / n_closed else 0 end as win_rate,
  (n_won + 10 * share) / (n_closed + 10) as shrunk_win_rate,
  case
    when n_closed = 0 then 0
    else greatest(0, (
      n_won / n_closed + 1.959964 ^ 2 / (2 * n_closed)
      - 1.959964 * sqrt((n_won / n_closed * (1 - n_won / n_closed) + 1.959964 ^ 2 / (4 * n_closed)) / n_closed)
    ) / (1 + 1.959964 ^ 2 / n_closed))
  end as lower_win_rate,
  is_complete
from counted
