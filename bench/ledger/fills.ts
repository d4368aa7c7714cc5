import { chance, generatedFile, hex, type Limits } from '#bench/fold/generated_file.ts'

/** Changes with the select below, so that a file of another select is not reused. */
const version = 1

/**
 * A Parquet file of `n` generated fills with the columns of `core.fills`, in the order of time. It is written once and
 * stays in the temporary folder. It has 200,000 traders and 100,000 tokens of 50,000 markets, a few of which have most
 * of the fills. A trader trades the same token some five times. Two in five fills are sales, and every fourth fill
 * shares the transaction of the previous one. Randomness is a hash of the row's number.
 */
export const fillsFile = (n: number, limits: Limits): Promise<string> =>
  generatedFile(`fills-${n}-v${version}`, select(n), limits)

const select = (n: number): string => `
  with numbered as (
    select i, i - (i % 4 = 3)::integer as match from range(${n}) as r (i)
  ),
  -- A pair is a trader and a token; some pairs meet often, most a few times.
  paired as (
    select i, match, floor(${Math.ceil(n / 5)} * pow(${chance('match', 1)}, 2))::bigint as pair from numbered
  ),
  placed as (
    select
      i,
      match,
      floor(200000 * pow(${chance('pair', 2)}, 3))::integer as trader,
      floor(100000 * pow(${chance('pair', 3)}, 2))::integer as token,
      (floor(98 * ${chance('i', 4)}) + 1)::integer as cents,
      floor(1000000 * pow(10, 4 * ${chance('i', 5)}))::bigint as millionths,
      ${chance('i', 6)} < 0.5 as is_taker,
      ${chance('match', 7)} < 0.4 as is_sale
    from paired
  ),
  priced as (
    select *, (millionths * 0.000001)::decimal(18, 6) as size, (cents * 0.01)::decimal(4, 2) as price from placed
  )
  select
    ${hex("'trader' || trader", 40)} as trader,
    'polymarket:' || (token // 6) as event_id,
    make_timestamp(1700000000000000 + match * 60000000 // ${n} * 1000000) as ts,
    (i % 4)::integer as seq,
    ${hex("'tx' || match", 64)} as tx,
    'polymarket' as venue,
    'polymarket:' || ${hex("'market' || (token // 2)", 64)} as market_id,
    (token % 2)::integer as outcome,
    case when is_sale then 'sell' else 'buy' end as side,
    case when is_taker then 'taker' else 'maker' end as role,
    price::decimal(9, 6) as price,
    size::decimal(38, 6) as size,
    (size * price)::decimal(38, 6) as cash_usd,
    case when is_taker then (size * price * (1 - price) * 0.03)::decimal(38, 6) else 0 end as fee_usd,
    false as is_fee_estimated,
    false as is_self
  from priced
  order by i`
