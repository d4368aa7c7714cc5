import { chance, generatedFile, hex, type Limits } from '#bench/fold/generated_file.ts'

/** Changes with the select below, so that a file of another select is not reused. */
const version = 2

/**
 * A Parquet file of `n` generated trades with the columns of `core.trades`, in the order of time. It is written once
 * and stays in the temporary folder. It has 200,000 wallets and 20,000 tokens, a few of which have most of the trades.
 * A wallet trades the same token some ten times, half the time for a stable and half for the chain's coin. Nine in
 * twenty trades are sales. Amounts have 20 to 26 digits. Randomness is a hash of the row's number.
 */
export const tradesFile = (n: number, limits: Limits): Promise<string> =>
  generatedFile(`trades-${n}-v${version}`, select(n), limits)

export const stable = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

const select = (n: number): string => `
  with paired as (
    select i, floor(${Math.ceil(n / 10)} * pow(${chance('i', 1)}, 2))::bigint as pair from range(${n}) as r (i)
  ),
  placed as (
    select
      i,
      ${hex(`'wallet' || floor(200000 * pow(${chance('pair', 2)}, 3))::integer`, 40)} as wallet,
      ${hex(`'token' || floor(20000 * pow(${chance('pair', 3)}, 3))::integer`, 40)} as token,
      ${chance('i', 4)} < 0.45 as is_sale,
      ${chance('i', 5)} < 0.5 as is_for_stable,
      (pow(10, 4 * ${chance('i', 6)}) * 1000000)::bigint as millionths,
      floor(pow(10, 19 + 6 * ${chance('i', 7)}))::hugeint::varchar as amount
    from paired
  ),
  paid as (
    select
      *,
      case when is_for_stable then '${stable}' else 'native' end as money,
      (case when is_for_stable then millionths::hugeint else millionths::hugeint * 400000000 end)::varchar as cash
    from placed
  )
  select
    wallet,
    'ethereum' as chain,
    18000000 + i // 20 as block,
    (i % 20 * 7)::integer as tx_index,
    ${hex("'tx' || i", 64)} as tx,
    0::integer as seq,
    make_timestamp(1700000000000000 + i // 20 * 12000000) as ts,
    'swap' as kind,
    case when is_sale then token else money end as token_sold,
    case when is_sale then amount else cash end as amount_sold,
    case when is_sale then money else token end as token_bought,
    case when is_sale then cash else amount end as amount_bought,
    (millionths * 0.000001)::decimal(38, 6) as usd,
    'leg' as usd_method,
    (0.5 + i % 1000 * 0.001)::decimal(38, 6) as gas_usd,
    'uniswap_v3' as protocol,
    1::bigint as n_swaps,
    false as is_self,
    false as is_bound,
    true as is_certain,
    true as is_countable
  from paid
  order by i`
