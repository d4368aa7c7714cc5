import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { runFold } from '#models/run_fold.ts'
import { flows } from '#scoring/staging/chains/flows.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'

const most = 2n ** 256n - 1n
const at = `'ethereum' as chain, 7 as block, 0 as tx_index`
const ts = `timestamp '2026-11-20 10:00:00' as ts`

/** The tables that the input of the fold reads. */
const tables = `
  create schema lake; create schema staging; create schema core;
  create table core.clock as select timestamp '2026-11-20 12:00:00' as as_of;
  create table staging.wrapped_coins as select 'ethereum' as chain, '0xweth' as wrapped;
  create table lake.transactions as
    select ${at}, 'tx_a' as tx, ${ts}, 'ann' as sender, 'router' as recipient, 0::bignum as amount, true as is_ok
    union all select 'ethereum', 7, 1, 'tx_b', ts, 'bob', 'router', 50::bignum, true from (select ${ts})
    union all select 'ethereum', 7, 2, 'tx_c', ts + interval 3 hours, 'ann', 'router', 0::bignum, true from (select ${ts});
  create table lake.swaps as
    select ${at}, 'tx_a' as tx, 3 as log_index, ${ts}, 'uniswap_v3' as family, 'pool' as pool, 0 as coin0_index,
      1 as coin1_index, null::varchar as token0, null::varchar as token1, 5::bignum as amount0, '-9'::bignum as amount1,
      'router' as sender, 'ann' as recipient, null::varchar as trader
    union all select 'ethereum', 7, 1, 'tx_b', 9, ts, 'uniswap_v4', '0xid', 0, 1, null, null, 50::bignum, '-9'::bignum,
      'router', null, null from (select ${ts});
  create table lake.transfers as
    select ${at}, 'tx_a' as tx, 1 as log_index, ${ts}, 'transfer' as kind, 'usdc' as token, 'ann' as sender,
      'pool' as recipient, '${most}'::bignum as amount
    union all select 'ethereum', 7, 0, 'tx_a', 2, ts, 'transfer', '0xweth', 'pool', 'ann', 9::bignum from (select ${ts})
    union all select 'ethereum', 7, 1, 'tx_b', 8, ts, 'transfer', 'pepe', 'manager', 'bob', 9::bignum from (select ${ts})
    union all select 'ethereum', 7, 2, 'tx_c', 1, ts + interval 3 hours, 'transfer', 'usdc', 'ann', 'bob', 9::bignum
      from (select ${ts})
    union all select 'ethereum', 8, 0, 'tx_d', 1, ts, 'transfer', 'usdc', 'ann', 'bob', 9::bignum from (select ${ts});
  create table lake.user_operations as
    select ${at}, 'tx_z' as tx, 1 as log_index, ${ts}, 'safe' as sender, 'payer' as paymaster, true as is_ok where false;
  create table lake.pools as
    select 'ethereum' as chain, '0xid' as pool, ts as seen_at, ['native', 'pepe'] as tokens from (select ${ts});`

test('the fold gives flows and trades up to the clock, with amounts of any size and the tokens of pools', async () => {
  const instance = await openDuckDB({ threads: 2, memory: '256MB', scratch: join(tmpdir(), 'tapeline-flows') })
  await withConnection(instance, async (connection) => {
    await connection.run(tables)
    await runFold(instance, flows)
    const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson()
    expect(await rows('select tx, wallet, seq, token, amount, is_inferred from staging.flows order by all')).toEqual([
      ['tx_a', 'ann', -1, 'native', '9', false],
      ['tx_a', 'ann', -1, 'usdc', `-${most}`, false],
      ['tx_b', 'bob', -1, 'native', '-50', false],
      ['tx_b', 'bob', -1, 'pepe', '9', false],
    ])
    expect(
      await rows(
        `select tx, wallet, seq, kind, token_sold, amount_sold, token_bought, amount_bought, protocol, n_swaps, ts
           from staging.wallet_trades order by all`,
      ),
    ).toEqual([
      ['tx_a', 'ann', 0, 'swap', 'usdc', `${most}`, 'native', '9', 'uniswap_v3', '1', '2026-11-20 10:00:00'],
      ['tx_b', 'bob', 0, 'swap', 'native', '50', 'pepe', '9', 'uniswap_v4', '1', '2026-11-20 10:00:00'],
    ])
  })
  instance.closeSync()
})
