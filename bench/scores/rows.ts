import { chance, hex } from '#bench/fold/generated_file.ts'
import type { Micros } from '#time.ts'

/** The instant of the builds: 2026-11-20T12:00:00Z. */
export const as_of: Micros = Date.UTC(2026, 10, 20, 12) * 1000
const day: Micros = 86_400_000_000

/**
 * The temporary tables behind the rows: markets that live for 10 to 40 days within the last 120, half of them with a
 * known start after nine tenths, and matches of `n` / 2, a few markets and traders having most. The price of a market
 * swings around its chance. Randomness is a hash of the row's number.
 */
export const tables = (n: number): readonly string[] => [
  `create temp table described as
    select
      m,
      'polymarket:' || ${hex("'market' || m", 64)} as market_id,
      ${as_of} - (120 * ${day} * ${chance('m', 1)})::bigint as created_us,
      created_us + (${day} * (10 + 30 * ${chance('m', 2)}))::bigint as ends_us,
      case when m % 2 = 0 then created_us + (0.9 * (ends_us - created_us))::bigint end as starts_us,
      0.04 + 0.92 * ${chance('m', 3)} as chance,
      ${chance('m', 4)} < chance as is_won,
      'category ' || (m % 6) as category
    from range(${Math.ceil(n / 400)}) as r (m)`,
  // A pair is a trader and a market; a trader trades in the same market some five times.
  `create temp table matched as
    select
      i,
      floor(${Math.ceil(n / 10)} * pow(${chance('i', 5)}, 2))::bigint as pair,
      floor(${Math.ceil(n / 100)} * pow(${chance('pair', 6)}, 3))::bigint as taker,
      floor(${Math.ceil(n / 1000)} * pow(${chance('i', 7)}, 2))::bigint as maker,
      floor(${Math.ceil(n / 400)} * pow(${chance('pair', 8)}, 2))::bigint as market,
      ${chance('i', 9)} as part,
      ${chance('i', 10)} < 0.3 as is_second,
      ${chance('i', 11)} < 0.3 as is_sale,
      floor(1000000 * pow(10, 4 * ${chance('i', 12)}))::bigint as millionths
    from range(${Math.ceil(n / 2)}) as r (i)`,
  `create temp table placed as
    select
      m.i,
      m.market,
      d.market_id,
      m.is_second,
      m.is_sale,
      ${hex("'trader' || m.taker", 40)} as taker,
      ${hex("'maker' || m.maker", 40)} as maker,
      make_timestamp((d.created_us + (m.part * (d.ends_us - d.created_us))::bigint) // 1000000 * 1000000) as ts,
      least(0.99, greatest(0.01, round(d.chance + 0.05 * sin(7 * m.part) + 0.02 * (${chance('m.i', 13)} - 0.5), 2))) as yes,
      (m.millionths * 0.000001)::decimal(18, 6) as size
    from matched m
    join described d on d.m = m.market
    where ts <= make_timestamp(${as_of})`,
  `create temp table takers as select distinct taker as trader from placed`,
]

const fill = (placed: string, trader: string, role: string, side: string): string => `
  select 'polymarket' as venue, substr(market_id, 12) || (is_second::integer) as token_id, ts, ${hex("'tx' || i", 64)} as tx,
    ${trader} as trader, ${side} as side, price, size::decimal(38, 6) as size, 0 as seq, market_id, '${role}' as role,
    (size * price)::decimal(38, 6) as cash_usd,
    (case '${role}' when 'taker' then size * price * (1 - price) * 0.03 else 0 end)::decimal(38, 6) as fee_usd, 'world' as source
  from (select *, (case when is_second then 1 - yes else yes end)::decimal(9, 6) as price from ${placed})`

/** The fills of some markets, in the order of a file: one file of all would be sorted in memory as a whole. */
function fillsOf(part: number, n_parts: number): string {
  const placed = `(from placed where market % ${n_parts} = ${part})`
  return `select * from (
    ${fill(placed, 'taker', 'taker', "case when is_sale then 'sell' else 'buy' end")}
    union all
    ${fill(placed, 'maker', 'maker', "case when is_sale then 'buy' else 'sell' end")}
  ) order by ts`
}

/** Fills in a file, about. */
const partRows = 1_000_000

/** The rows of each file: its dataset and its select. */
export function files(n: number): { name: string; rows: string }[] {
  const n_parts = Math.ceil(n / partRows)
  const parts = Array.from({ length: n_parts }, (_, part) => ({ name: 'fills', rows: fillsOf(part, n_parts) }))
  return [...parts, ...Object.entries(selects).map(([name, rows]) => ({ name, rows }))]
}

const selects: Readonly<Record<string, string>> = {
  markets: `
    select market_id, make_timestamp(created_us) as seen_at, 'polymarket' as venue, 'polymarket:' || (m // 3) as event_id,
      'Question ' || m || '?' as question, ['Yes', 'No'] as labels,
      [substr(market_id, 12) || 0, substr(market_id, 12) || 1] as token_ids, category, []::varchar[] as tags, null as url,
      'open' as status, true as is_open, make_timestamp(created_us) as created_at, make_timestamp(starts_us) as starts_at,
      case when starts_us is not null then 'starts_at' end as starts_by, null::timestamp as ends_at,
      make_timestamp(ends_us) as closed_at, 'pUSD' as collateral, 0.03::decimal(9, 6) as taker_fee_rate,
      null::decimal(9, 6) as maker_fee_rate, null::decimal(9, 6) as fee_exponent, null::varchar as neg_risk_id,
      null::integer as neg_risk_index, 'world' as source
    from described`,
  resolutions: `
    select market_id, make_timestamp(ends_us) as ts, 'polymarket' as venue,
      [is_won::integer, 1 - is_won::integer]::decimal(9, 6)[] as payouts, 'resolved' as status, null::varchar as tx,
      'world' as source
    from described
    where ends_us <= ${as_of}`,
  quotes: `
    select market_id, make_timestamp(created_us + h * (ends_us - created_us) // 24) as ts, 0::bigint as period_s,
      'polymarket' as venue, (chance - 0.01)::decimal(9, 6) as bid, (chance + 0.01)::decimal(9, 6) as ask,
      null::decimal(9, 6) as last, null::decimal(38, 6) as size, null::decimal(38, 6) as volume_24h_usd,
      null::decimal(38, 6) as size_24h, 'world' as source
    from described cross join range(24) as r (h)
    where created_us + h * (ends_us - created_us) // 24 <= ${as_of}`,
}
