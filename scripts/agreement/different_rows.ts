/** Rows of `marts.discover` whose figures of 30 days are not those of `marts.wallet` for that wallet and chain. */
export const differentRows = `
  select d.scope, d.range, d.sort, d.address, d.chain, d.pnl_30d, w.realized_30d, d.unranked_30d,
    w.unranked_30d as unranked_of_wallet
  from marts.discover d
  left join marts.wallet w on w.address = d.address and w.chain = d.chain
  where (d.pnl_30d, d.unranked_30d, d.volume_30d, d.tags)
    is distinct from (w.realized_30d, w.unranked_30d, w.volume_30d, w.tags)`
