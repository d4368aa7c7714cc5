import { z } from 'zod'

import type { LakeReader } from '#lake/reader.ts'
import type { UnitMark } from '#lake/units/mark_units.ts'
import { isoMicros } from '#time.ts'

import { feed } from './feed_coverage.ts'
import { VENUE } from './wire/types.ts'

const accounts = 'polymarket_activity'
const markets = 'polymarket_trades'

/**
 * The units with a mark, or whose mark changes. A match of a read account is in its activity, in the history of its market and in the
 * feed. `matched` has its size by each of them, over one participant, token and side of a transaction. Rows of which
 * one source has more than the other, and several that are equal, may be repeated, so both units are contradicted.
 */
const MARKS = `
  with stored as (
    select source, unit, key, from_at, coalesce(to_at, timestamp '9999-01-01') as to_at, checked_at, verified,
      coalesce(reason_code = 'contradicted', false) as is_contradicted
    from lake.coverage
    where dataset = 'fills' and source in ('${accounts}', '${markets}')
      and (state in ('done', 'head') or reason_code = 'contradicted')
  ), accounts as (
    from stored where source = '${accounts}'
  ), markets as (
    select *, '${VENUE}:' || key as market_id from stored where source = '${markets}'
  ), matched as (
    select any_value(trader) as trader, any_value(market_id) as market_id, any_value(ts) as ts,
      sum(size) filter (source = '${accounts}') as own, max(seq) filter (source = '${accounts}') as own_seq,
      sum(size) filter (source = '${markets}') as traded, max(seq) filter (source = '${markets}') as traded_seq,
      sum(size) filter (source = '${feed.name}') as fed
    from lake.fills f
    where source in ('${accounts}', '${markets}', '${feed.name}') and trader in (select key from accounts)
    group by hash(tx, f.trader, token_id, side)
  ), placed as (
    select m.*, a.unit as account, h.unit as market
    from matched m
    join accounts a on a.key = m.trader and m.ts >= a.from_at and m.ts < a.to_at
    left join markets h on h.market_id = m.market_id and m.ts >= h.from_at and m.ts < h.to_at
  ), judged as (
    select account as unit, ts, if(traded is null, '${feed.name}', '${markets}') as other,
      coalesce(greatest(traded, fed) > coalesce(own, 0), false)
        or (market is not null and own_seq > 0 and own > traded) as differs,
      coalesce(own = traded or own = fed, false) as agrees
    from placed
    union all
    select market, ts, '${accounts}',
      coalesce(own > coalesce(traded, 0), false) or (own is not null and traded_seq > 0 and traded > own),
      coalesce(own = traded, false)
    from placed where market is not null
  ), compared as (
    select unit, list_sort(list(distinct other) filter (agrees)) as agreed, count(*) filter (differs) as n_differ,
      min(ts) filter (differs) as first_at, string_agg(distinct other, ', ' order by other) filter (differs) as others
    from judged group by unit
  ), marks as (
    select s.*, coalesce(n_differ, 0) as n_differ, first_at, others,
      if(coalesce(n_differ, 0) > 0, [], coalesce(agreed, [])) as agreed
    from stored s left join compared using (unit)
  )
  select unit, epoch_us(checked_at) as checked_us, n_differ, epoch_us(first_at) as first_us, others, agreed
  from marks
  where agreed <> verified or n_differ > 0 or is_contradicted
  order by unit`

const markShape = z.object({
  unit: z.string(),
  checked_us: z.bigint().transform(Number),
  n_differ: z.bigint().transform(Number),
  first_us: z.bigint().transform(Number).nullable(),
  others: z.string().nullable(),
  agreed: z.array(z.string()),
})

/**
 * Compares the fills of the read accounts with those of the markets and of the feed. The venue lists a match under its
 * market and under both accounts, so a fill of one list that the other lacks shows that the other is incomplete.
 */
export async function compareFills(lake: LakeReader): Promise<UnitMark[]> {
  const rows = await lake.query(
    MARKS,
    markShape,
    {},
    {
      fills: [`${accounts}/`, `${markets}/`, `${feed.name}/`],
      coverage: [`${accounts}/`, `${markets}/`],
    },
  )
  return rows.map(({ unit, checked_us, n_differ, first_us, others, agreed }) => ({
    unit,
    checked_at: checked_us,
    contradiction:
      n_differ === 0 || first_us === null
        ? null
        : `${n_differ} of its trades differ from ${others}, the first at ${isoMicros(first_us)}`,
    agreed,
  }))
}
