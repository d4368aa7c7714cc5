-- Shares that a trader gave to somebody else or got without a match, at the price of the moment. Between addresses of
-- one trader nothing is given: the shares keep their cost. `price_usd` is the first available of: the payout, once it
-- is reported; the later of the last trade and the last middle of the book; half a dollar, as a split counts a share.
-- `price_origin` says which: `payout`, `trade`, `odds` or `even`. Transfers in markets without a description count only
-- if the market has a fill: the contract of the tokens has those of other projects too.
-- columns: trader, ts, tx, seq, token_id, kind; wallet, counterparty?, venue, market_id, outcome, size, price_usd DECIMAL(9,6),
-- price_origin, price_at?, value_usd, trader_index, market_index
with moved as (
  select a.*, t.outcome, p.trader as person, p.trader_index
  from staging.activity a
  join core.trader_addresses p on p.wallet = a.trader
  join staging.outcome_tokens t on t.token_id = a.token_id
  left join core.trader_addresses c on c.wallet = a.counterparty
  where a.kind in ('transfer_in', 'transfer_out') and a.size > 0 and c.trader is distinct from p.trader
),
-- Read for the few transfers alone.
traded as (
  select distinct f.market_id
  from staging.fills f
  semi join moved m on m.market_id = f.market_id
),
placed as (
  select m.*, k.market_index
  from moved m
  join core.ledger_markets k on k.market_id = m.market_id
  where k.event_id is not null or m.market_id in (from traded)
),
payouts as (
  select r.market_id, r.ts, r.payouts
  from staging.resolutions r
  semi join placed p on p.market_id = r.market_id
),
trades as (
  select
    t.market_id,
    t.ts,
    arg_max(
      case when k.outcome = 0 then t.price else 1 - t.price end,
      struct_pack(a := t.tx, b := t.seq, c := t.price, d := t.size)
    ) as price
  from staging.tape t
  join staging.outcome_tokens k on k.token_id = t.token_id
  semi join placed p on p.market_id = t.market_id
  where t.role = 'taker' and t.size > 0
  group by t.market_id, t.ts
),
books as (
  select o.market_id, o.ts, o.mid as price
  from core.odds o
  semi join placed p on p.market_id = o.market_id
  where o.mid is not null
),
observed as (
  select
    p.*,
    r.payouts[p.outcome + 1] as payout,
    r.ts as payout_at,
    t.price as trade_price,
    t.ts as trade_at,
    b.price as book_price,
    b.ts as book_at
  from placed p
  asof left join payouts r on r.market_id = p.market_id and r.ts <= p.ts
  asof left join trades t on t.market_id = p.market_id and t.ts <= p.ts
  asof left join books b on b.market_id = p.market_id and b.ts <= p.ts
),
chosen as (
  select
    *,
    case
      when payout is not null then 'payout'
      when trade_at is not null and (book_at is null or trade_at >= book_at) then 'trade'
      when book_at is not null then 'odds'
      else 'even'
    end as price_origin,
    case price_origin when 'trade' then trade_price when 'odds' then book_price else 0.5 end as yes_price
  from observed
),
priced as (
  select
    *,
    case
      when price_origin = 'payout' then payout
      when outcome = 0 then yes_price
      else 1 - yes_price
    end::decimal(9, 6) as price_usd
  from chosen
)
select
  person as trader,
  ts,
  tx,
  seq,
  token_id,
  kind,
  trader as wallet,
  counterparty,
  venue,
  market_id,
  outcome,
  size,
  price_usd,
  price_origin,
  case price_origin when 'payout' then payout_at when 'trade' then trade_at when 'odds' then book_at end as price_at,
  (size::decimal(24, 6) * price_usd)::decimal(38, 6) as value_usd,
  trader_index,
  market_index
from priced
