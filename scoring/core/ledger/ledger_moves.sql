-- A split, merge, redemption or neg-risk conversion, as the ledger reads it. `seq` orders a trader's moves within an
-- instant by transaction, market, size and cash. A conversion belongs to a group, the others to a market. A move that
-- names neither, or one without a description, is left out.
-- columns: trader_index, ts, seq; kind, tx, market_index?, group_index, size, cash_usd, index_set?, n_questions?
with groups as (
  select neg_risk_id, any_value(group_index) as group_index
  from core.ledger_markets
  where neg_risk_id is not null
  group by neg_risk_id
),
placed as (
  select
    t.trader_index,
    a.*,
    m.market_index,
    case when a.kind = 'convert' then coalesce(g.group_index, m.group_index) else m.group_index end as group_index
  from staging.activity a
  join core.ledger_traders t on t.trader = a.trader
  left join core.ledger_markets m on m.market_id = a.market_id
  left join groups g on g.neg_risk_id = a.neg_risk_id
  where a.kind in ('split', 'merge', 'redeem', 'convert')
)
select
  trader_index,
  ts,
  row_number() over (
    partition by trader_index, ts order by tx, market_id, size, cash_usd, seq, kind, token_id, venue
  ) - 1 as seq,
  kind,
  tx,
  market_index,
  group_index,
  coalesce(size, 0) as size,
  coalesce(cash_usd, 0) as cash_usd,
  index_set,
  n_questions
from placed
where group_index is not null
