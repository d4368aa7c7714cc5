import type { Model } from '#builder/model.ts'
import { literal } from '#storage/duckdb.ts'
import { isoMicros, type Micros } from '#time.ts'

import { plantedInformation, tailOf, usdAt } from './sizes.ts'

const n_trades = 400
/** The US dollars of a trade of the whale by its number: 10,000 to 20,000. */
const whaleUsd = (n: number): number => 10_000 + ((n * 7_919) % 10_000)

/** The whale, which trades a token for a stable five times a day. Its exit has the planted information. */
export const whale = `0x${'ee'.repeat(20)}`
export const whaleExit = {
  chain: 'base',
  token: '0xpepe',
  tx: '0xexit',
  usd: Math.ceil(usdAt(plantedInformation, tailOf(Array.from({ length: n_trades }, (_, n) => whaleUsd(n))))),
}

/**
 * The models with the trades of a chain in place of those of its blocks: a whale with 400 trades of 80 days, and 150
 * wallets with a trade each. With `hasExit` the whale sells ten minutes before an instant.
 */
export const withTraders = (models: readonly Model[], now: Micros, hasExit: boolean): Model[] => {
  const selects: Record<string, string> = { 'core.trades': tradesOf(now, hasExit), 'core.tokens': tokens }
  return models.map((model) => {
    const sql = selects[`${model.layer}.${model.name}`]
    return sql === undefined ? model : { ...model, sql }
  })
}

const tokens = `select 'base' as chain, token, token as symbol, 18 as decimals, kind, null as asset_id,
  null as first_pool_at, kind = 'stable' as is_listed, false as is_excluded
from (values ('usdc', 'stable'), ('0xpepe', 'other')) as t (token, kind)`

const tradesOf = (now: Micros, hasExit: boolean): string => `with planted as (
  select
    n,
    if(n < ${n_trades}, '${whale}', '0x' || n) as wallet,
    if(n = 999, '${whaleExit.tx}', '0xt' || n) as tx,
    timestamp ${literal(isoMicros(now))} - if(n = 999, interval 10 minutes, (2 + n % ${n_trades} * 4.8) * interval 1 hour) as ts,
    if(n = 999, ${whaleExit.usd}, if(n < ${n_trades}, 10000 + n * 7919 % 10000, 100)) as usd
  from range(1000) r (n)
  where n < 550 or (n = 999 and ${hasExit})
)
select
  if(n = 999, '${whale}', wallet) as wallet,
  'base' as chain,
  n as block,
  0 as tx_index,
  tx,
  0 as seq,
  ts,
  'swap' as kind,
  if(n = 999, '0xpepe', 'usdc') as token_sold,
  usd::bignum as amount_sold,
  if(n = 999, 'usdc', '0xpepe') as token_bought,
  usd::bignum as amount_bought,
  usd,
  'stable' as usd_method,
  0 as gas_usd,
  'pool' as protocol,
  1 as n_swaps,
  false as is_self,
  false as is_bound,
  true as is_certain,
  true as is_countable
from planted`
