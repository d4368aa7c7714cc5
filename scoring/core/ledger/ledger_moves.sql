-- A movement of shares without a match, as the ledger reads it: a split, merge, redemption or neg-risk conversion; a
-- transfer from or to somebody else, with its value as the cash (`core.share_transfers`); a migration, which is two
-- moves, of the given token and of the one that came for it. `seq` orders a trader's moves within an instant by
-- transaction, market, size and cash, with migrations first. A conversion belongs to a group, the
-- others to a market. `outcome` is known of transfers, of migrations, and of redemptions that name their token. A
-- redemption with a size and no outcome is one of pairs. A move that names neither market nor group, or one without a
-- description, is left out.
-- columns: trader_index, ts, seq; kind, tx, market_index?, group_index, outcome?, size, cash_usd, index_set?, n_questions?
with groups as (
  select neg_risk_id, any_value(group_index) as group_index
  from core.ledger_markets
  where neg_risk_id is not null
  group by neg_risk_id
),
moves as (
  select
    t.trader_index, a.trader as wallet, a.venue, a.ts, a.tx,
    case when a.kind <> 'migrate' then a.kind when a.size < 0 then 'migrate_from' else 'migrate_to' end as kind,
    a.market_id, a.token_id, a.seq, 
    case when a.kind <> 'redeem' or a.size > 0 then k.outcome end as outcome, abs(a.size) as size, a.cash_usd, a.neg_risk_id, a.index_set, a.n_questions
  from staging.activity a
  join core.trader_addresses t on t.wallet = a.trader
  left join staging.outcome_tokens k on k.token_id = a.token_id
  where a.kind in ('split', 'merge', 'redeem', 'convert', 'migrate')
  union all
  select
    trader_index, wallet, venue, ts, tx, kind, market_id, token_id, seq, outcome, size, value_usd, null, null, null
  from core.share_transfers
),
placed as (
  select
    v.*,
    m.market_index,
    case when v.kind = 'convert' then coalesce(g.group_index, m.group_index) else m.group_index end as group_index,
    case when not starts_with(v.kind, 'migrate') then v.market_id end as place
  from moves v
  left join core.ledger_markets m on m.market_id = v.market_id
  left join groups g on g.neg_risk_id = v.neg_risk_id
)
select
  trader_index,
  ts,
  row_number() over (
    partition by trader_index, ts order by tx, place nulls first, size, cash_usd, seq, kind, token_id, venue, wallet
  ) - 1 as seq,
  kind,
  tx,
  market_index,
  group_index,
  outcome,
  coalesce(size, 0) as size,
  coalesce(cash_usd, 0) as cash_usd,
  index_set,
  n_questions
from placed
where group_index is not null and (outcome is not null or not starts_with(kind, 'migrate'))
