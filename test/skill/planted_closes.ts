import type { Tamper } from './build.ts'

/** From the first day of a market on its books show what it will pay, and three traders trade there each half hour. */
export const settleBefore: Tamper = async (connection) => {
  await connection.run(`update lake.quotes q set bid = if(r.payouts[1] > 0.5, 0.988, 0.008), ask = if(r.payouts[1] > 0.5, 0.992, 0.012)
    from lake.resolutions r where r.market_id = q.market_id`)
  await connection.run(`insert into lake.fills by name
    select 'polymarket' as venue, m.token_ids[1] as token_id, h.ts, 'settled' || h.ts || who as tx, '0xsettler' || who as trader,
      'buy' as side, if(r.payouts[1] > 0.5, 0.99, 0.01) as price, 100000 as size, 0 as seq, m.market_id, 'taker' as role,
      100000 * if(r.payouts[1] > 0.5, 0.99, 0.01) as cash_usd, 0 as fee_usd, 'world' as source
    from lake.markets m
    join lake.resolutions r on r.market_id = m.market_id
    cross join range(3) w (who)
    cross join lateral (
      select unnest(range(m.created_at + interval 25 minutes, r.ts, interval 30 minutes)) as ts
    ) h`)
}
