-- The evidence of a wallet's archetype and tags on one chain, over all time unless stated.
--
--   roundtrip_share  share of the volume in atomic round trips
--   pool_age_s       median age of a token's first pool at the wallet's first purchase, over `n_pool_ages` tokens
--   held_s           median holding time of sold amounts, over disposals of tokens that are neither stable nor native
--   roi_90d_lower, roi_180d_upper  bounds of the realized return (`metrics.wallet_returns`)
--   buys_to_sells    value bought over value sold in 90 days, of such tokens; infinite without a sale
--   volume_90d_pct   the top percentage of the wallets of 90 days that contains the wallet, by volume on the chain
--   stable_share     share of stables in the value of the last known balances
--   n_day_trades, n_hour_max, active_hours_share, n_washes  see `metrics.wallet_rhythm`
--   n_early_buys     tokens of which the wallet was among the first 100 buyers, and whose first pool is known
--   is_contract      the address has code and is no account of a known kind
--
-- `archetype` is the first rule that fits:
--
--   unproven         fewer than 10 trades or 5 closed tokens
--   arbitrageur      roundtrip_share >= 0.5
--   sniper           pool_age_s <= 60 over at least 5 tokens
--   fade_target      roi_180d_upper < 0
--   scalper, swing_trader, diamond_hands  held_s below an hour; up to 7 days; above 90 days
--   accumulator      buys_to_sells >= 4
--   whale            volume_90d_pct <= 1, volume_90d_usd >= 1,000,000
--   dormant          no trade in 90 days
--   generalist       otherwise.
--
-- `tags` are all that fit, in this order: smart_money (roi_90d_lower > 0 with 10,000 USD of volume), whale,
-- fresh_wallet (first transaction on the chain less than 7 days ago), multi_chain (trades on 3 chains in 30 days),
-- stable_heavy (stable_share >= 0.8), high_frequency (n_day_trades >= 50), bot_like (n_hour_max >= 25 with 100 trades,
-- or active_hours_share > 0.95), sandwich_like (3 sandwiches), wash_like (10 washes), early_buyer (3 tokens), contract,
-- profitable_90d and losing_90d (5 closed tokens). Bounds of returns need 20 closed tokens.
-- columns: wallet, chain; n_trades, n_closed, n_chains_30d, first_at?, last_at?, first_tx_at?, roundtrip_share, pool_age_s?,
-- n_pool_ages, held_s?, roi_90d_lower? DOUBLE, roi_180d_upper? DOUBLE, buys_to_sells? DOUBLE, volume_90d_usd,
-- volume_90d_pct, stable_share?, n_day_trades, n_hour_max, active_hours_share, n_sandwiches, n_washes, n_early_buys,
-- is_contract, archetype, tags VARCHAR[]
with rules as (
  select
    10 as trades,
    5 as closed_tokens,
    0.5 as roundtrips,
    60 as pool_age_s,
    5 as pool_ages,
    3600 as scalp_s,
    7 * 86400 as swing_s,
    90 * 86400 as diamond_s,
    4 as buys_to_sells,
    1 as whale_pct,
    1000000 as whale_usd,
    10000 as smart_usd,
    3 as chains,
    0.8 as stables,
    50 as day_trades,
    25 as hour_transactions,
    100 as bot_trades,
    0.95 as active_hours,
    3 as sandwiches,
    10 as washes,
    100 as early_rank,
    3 as early_tokens
),
traded as (
  select
    wallet,
    chain,
    min(ts) as first_at,
    max(ts) as last_at,
    sum(usd) filter (kind = 'arbitrage' and not is_self) as roundtrip_usd
  from core.trades
  group by wallet, chain
),
chains as (
  select t.wallet, count(distinct t.chain) as n_chains_30d
  from core.trades t
  cross join core.clock c
  where t.ts > c.as_of - interval 720 hours and t.ts <= c.as_of
  group by t.wallet
),
purchases as (
  select
    t.wallet,
    t.chain,
    t.token_bought as token,
    min(t.ts) as bought_at,
    rank() over (partition by t.chain, t.token_bought order by min(t.ts)) as place
  from core.trades t
  join core.lot_tokens k on k.chain = t.chain and k.token = t.token_bought and k.moneyness = 0
  group by t.wallet, t.chain, t.token_bought
),
aged as (
  select
    p.wallet,
    p.chain,
    quantile_disc(epoch(p.bought_at)::bigint - epoch(t.first_pool_at)::bigint, 0.5) as pool_age_s,
    count(t.first_pool_at) as n_pool_ages,
    count(t.first_pool_at) filter (p.place <= r.early_rank) as n_early_buys
  from purchases p
  cross join rules r
  left join core.tokens t on t.chain = p.chain and t.token = p.token
  group by p.wallet, p.chain
),
-- Kind 0 is a sale.
held_by_number as (
  select a.wallet_index, k.chain, quantile_disc(a.held_s, 0.5) as held_s
  from core.allocations a
  join core.lot_tokens k on k.token_index = a.token_index and k.moneyness = 0
  where a.kind = 0
  group by a.wallet_index, k.chain
),
held as (
  select w.wallet, h.chain, h.held_s
  from held_by_number h
  join core.lot_wallets w on w.wallet_index = h.wallet_index
),
balance as (
  select d.wallet, d.chain, sum(d.bought_usd)::double as bought_usd, sum(d.sold_usd)::double as sold_usd
  from core.wallet_days d
  join core.lot_tokens k on k.chain = d.chain and k.token = d.token and k.moneyness = 0
  cross join core.clock c
  where d.day > c.as_of::date - 90 and d.day <= c.as_of::date
  group by d.wallet, d.chain
),
volumes as (
  select
    wallet,
    chain,
    volume_usd,
    realized_usd,
    n_closed,
    -- Wallets without a trade of these days are none of the compared ones.
    case
      when volume_usd > 0 then
        100 * rank() over (partition by chain order by volume_usd desc)
        / count(*) filter (volume_usd > 0) over (partition by chain)
      else 100
    end as volume_pct
  from metrics.wallet_results
  where range = '90d'
),
-- The wrapped coin is the native one to all other models.
balances as (
  select b.* replace (case when b.token = c.wrapped then 'native' else b.token end as token)
  from staging.balances b
  left join core.chains c on c.chain = b.chain
),
worth as (
  select
    b.address as wallet,
    b.chain,
    k.kind = 'stable' as is_stable,
    case when b.seen_at < p.to_at then try_cast(b.amount::double * p.usd_per_unit as decimal(38, 6)) end as usd
  from balances b
  join core.tokens k on k.chain = b.chain and k.token = b.token
  asof left join core.unit_prices p on p.chain = b.chain and p.token = b.token and p.ts <= b.seen_at
),
stables as (
  select wallet, chain, coalesce(sum(usd) filter (is_stable), 0) / nullif(sum(usd), 0) as stable_share
  from worth
  group by wallet, chain
),
traits as (
  select
    a.wallet,
    a.chain,
    a.n_trades,
    a.n_closed,
    coalesce(n.n_chains_30d, 0) as n_chains_30d,
    t.first_at,
    t.last_at,
    d.first_tx_at,
    coalesce(t.roundtrip_usd / nullif(a.volume_usd, 0), 0) as roundtrip_share,
    g.pool_age_s,
    coalesce(g.n_pool_ages, 0) as n_pool_ages,
    h.held_s,
    r90.roi_lower as roi_90d_lower,
    r180.roi_upper as roi_180d_upper,
    case when b.sold_usd > 0 then b.bought_usd / b.sold_usd when b.bought_usd > 0 then 'infinity'::double end as buys_to_sells,
    v.volume_usd as volume_90d_usd,
    v.volume_pct as volume_90d_pct,
    s.stable_share,
    y.n_day_trades,
    y.n_hour_max,
    y.active_hours_share,
    coalesce(w.n_sandwiches, 0) as n_sandwiches,
    y.n_washes,
    coalesce(g.n_early_buys, 0) as n_early_buys,
    coalesce(d.kind = 'contract', false) as is_contract,
    v.realized_usd as realized_90d_usd,
    v.n_closed as n_closed_90d,
    c.as_of
  from metrics.wallet_results a
  cross join core.clock c
  join volumes v on v.wallet = a.wallet and v.chain = a.chain
  join traded t on t.wallet = a.wallet and t.chain = a.chain
  join metrics.wallet_rhythm y on y.wallet = a.wallet and y.chain = a.chain
  left join chains n on n.wallet = a.wallet
  left join aged g on g.wallet = a.wallet and g.chain = a.chain
  left join held h on h.wallet = a.wallet and h.chain = a.chain
  left join balance b on b.wallet = a.wallet and b.chain = a.chain
  left join stables s on s.wallet = a.wallet and s.chain = a.chain
  left join staging.addresses d on d.address = a.wallet and d.chain = a.chain
  left join metrics.wallet_sandwiches w on w.wallet = a.wallet and w.chain = a.chain
  left join metrics.wallet_returns r90 on r90.wallet = a.wallet and r90.chain = a.chain and r90.days = 90
  left join metrics.wallet_returns r180 on r180.wallet = a.wallet and r180.chain = a.chain and r180.days = 180
  where a.range = 'all'
)
select
  t.wallet,
  t.chain,
  t.n_trades,
  t.n_closed,
  t.n_chains_30d,
  t.first_at,
  t.last_at,
  t.first_tx_at,
  t.roundtrip_share,
  t.pool_age_s,
  t.n_pool_ages,
  t.held_s,
  t.roi_90d_lower,
  t.roi_180d_upper,
  t.buys_to_sells,
  t.volume_90d_usd,
  t.volume_90d_pct,
  t.stable_share,
  t.n_day_trades,
  t.n_hour_max,
  t.active_hours_share,
  t.n_sandwiches,
  t.n_washes,
  t.n_early_buys,
  t.is_contract,
  case
    when t.n_trades < r.trades or t.n_closed < r.closed_tokens then 'unproven'
    when t.roundtrip_share >= r.roundtrips then 'arbitrageur'
    when t.pool_age_s <= r.pool_age_s and t.n_pool_ages >= r.pool_ages then 'sniper'
    when t.roi_180d_upper < 0 then 'fade_target'
    when t.held_s < r.scalp_s then 'scalper'
    when t.held_s <= r.swing_s then 'swing_trader'
    when t.held_s > r.diamond_s then 'diamond_hands'
    when t.buys_to_sells >= r.buys_to_sells then 'accumulator'
    when t.volume_90d_pct <= r.whale_pct and t.volume_90d_usd >= r.whale_usd then 'whale'
    when t.last_at <= t.as_of - interval 2160 hours then 'dormant'
    else 'generalist'
  end as archetype,
  [tag for tag in [
    case when t.roi_90d_lower > 0 and t.volume_90d_usd >= r.smart_usd then 'smart_money' end,
    case when t.volume_90d_pct <= r.whale_pct and t.volume_90d_usd >= r.whale_usd then 'whale' end,
    case when t.first_tx_at > t.as_of - interval 168 hours and t.first_tx_at <= t.as_of then 'fresh_wallet' end,
    case when t.n_chains_30d >= r.chains then 'multi_chain' end,
    case when t.stable_share >= r.stables then 'stable_heavy' end,
    case when t.n_day_trades >= r.day_trades then 'high_frequency' end,
    case
      when (t.n_hour_max >= r.hour_transactions and t.n_trades >= r.bot_trades) or t.active_hours_share > r.active_hours
        then 'bot_like'
    end,
    case when t.n_sandwiches >= r.sandwiches then 'sandwich_like' end,
    case when t.n_washes >= r.washes then 'wash_like' end,
    case when t.n_early_buys >= r.early_tokens then 'early_buyer' end,
    case when t.is_contract then 'contract' end,
    case when t.realized_90d_usd > 0 and t.n_closed_90d >= r.closed_tokens then 'profitable_90d' end,
    case when t.realized_90d_usd < 0 and t.n_closed_90d >= r.closed_tokens then 'losing_90d' end
  ] if tag is not null] as tags
from traits t
cross join rules r
