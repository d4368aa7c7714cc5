import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { publish } from '#builder/publish.ts'
import { columns } from '#scoring/columns/columns.ts'
import { loadExplain, loadScoring } from '#scoring/index.ts'
import { openEvmWorld } from '#sim/evm/world.ts'
import { newLake } from '#test/lake/fixture.ts'
import { anvil } from '#test/run/anvil.ts'
import { runBackfill } from '#test/sources/evm/swaps/runs.ts'

import { chainActivities } from './chain_house.ts'
import { coin, openNativeRouter, type TrueLeg } from './native_router.ts'

const now_s = 1_790_000_000
const chain = { slug: 'ethereum', now: () => (now_s + 86_400) * 1_000_000 }

const tradeShape = z.object({
  tx: z.string(),
  wallet: z.string(),
  sold: z.string(),
  bought: z.string(),
  amount_sold: z.coerce.bigint(),
  amount_bought: z.coerce.bigint(),
  is_countable: z.boolean(),
})

type Lake = Awaited<ReturnType<typeof newLake>>

/** Builds the scores of a lake, and reads rows from the analysts' file. */
async function scored(lake: Lake) {
  const scoring = { models: await loadScoring(), macros: await loadExplain(), columns }
  await publish(lake, 'scores', { ...scoring, asOf: chain.now(), threads: 2, memory: '1GB', now: chain.now })
  const instance = await DuckDBInstance.create(join(lake.home, 'tapeline.duckdb'), { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  onTestFinished(() => {
    connection.closeSync()
    instance.closeSync()
  })
  return async <T>(sql: string, shape: z.ZodType<T>): Promise<T[]> =>
    z.array(shape).parse((await connection.runAndReadAll(sql)).getRowObjectsJson())
}

const tradesSql = `
  select tx, wallet, token_sold as sold, token_bought as bought, amount_sold::varchar as amount_sold,
    amount_bought::varchar as amount_bought, is_countable
  from core.trades where kind = 'swap' order by block, tx_index, wallet, seq`

const legOf = ({ tx, wallet, sold, bought, amount_sold, amount_bought }: TrueLeg): TrueLeg => ({
  tx,
  wallet,
  sold,
  bought,
  amount_sold,
  amount_bought,
})
const keyOf = ({ tx, wallet }: TrueLeg): string => `${tx} ${wallet}`
const keyed = <T extends TrueLeg>(rows: readonly T[]) => new Map(rows.map((row) => [keyOf(row), row]))

const anyRow = z.record(z.string(), z.unknown())
const callsOf = (lake: Lake) =>
  lake.read(({ query }) =>
    query('select * exclude seen_at from lake.calls order by block, tx_index, call_index', anyRow),
  )
const coverageOf = (lake: Lake) =>
  lake.read(({ query }) => query("select * from lake.coverage where source = 'evm_traces'", anyRow))

const number = z.coerce.number()
const resultShape = z.object({
  result: number,
  gas_usd: number,
  price_bought: number,
  price_sold: number,
})
/** The result of a wallet, and the prices of the coin at its two trades. */
const resultSql = (wallet: string, bought: string, sold: string): string => {
  const price = (tx: string): string => `(
    select p.usd_per_unit from core.trades t
    asof left join core.unit_prices p on p.chain = t.chain and p.token = 'native' and p.ts <= t.ts
    where t.tx = '${tx}')`
  return `
    select (select sum(pnl_usd) from core.disposals where wallet = '${wallet}') as result,
      (select sum(gas_usd)::double from core.trades where wallet = '${wallet}') as gas_usd,
      ${price(bought)} as price_bought, ${price(sold)} as price_sold
  `
}

test.skipIf(anvil === undefined)(
  'with traces, each leg in the native coin is exact and counts; without them the rows are those of a lake without traces',
  async () => {
    const world = await openEvmWorld({ seed: 21, size: 0.1, now_s, n_states: 20_000 })
    onTestFinished(world.close)
    const [token] = world.tokens
    if (token === undefined) throw new Error('world: no tokens; expected one')
    const router = await openNativeRouter(world, token)
    const [buyer, maker, filler] = [await router.wallet(1), await router.wallet(2), await router.wallet(3)]
    for (const wallet of [buyer, maker]) await router.approve(wallet)
    const legs = [await router.buy(buyer, 2n * coin, 3n * coin), await router.buy(maker, coin, coin + 12_345n)]
    legs.push(await router.sell(buyer, (await router.held(buyer)).tokens))
    legs.push(await router.fill(filler, maker, (await router.held(maker)).tokens, coin / 2n))
    for (let n = 0; n < 100; n++) await world.rpc.call('evm_mine')

    const read = async (lake: Lake, sources: readonly string[], refused?: string) => {
      const activities = chainActivities(world, lake, chain, [], refused === undefined ? {} : { refused })
      for (const source of sources)
        expect(await runBackfill(chain, activities, { source })).toMatchObject({ failed: 0, quarantined: 0 })
    }
    const [traced, flat, without] = [await newLake(), await newLake(), await newLake()]
    const before = ['evm_swaps', 'evm_tokens']
    await read(traced, [...before, 'evm_traces', 'evm_addresses'])
    await read(flat, [...before, 'evm_traces', 'evm_addresses'], 'debug_')
    await read(without, [...before, 'evm_traces', 'evm_addresses'], 'trace')

    // Both methods show the same calls, and a node without them has no unit.
    const calls = await callsOf(traced)
    expect(calls.length).toBeGreaterThan(500)
    expect(await callsOf(flat)).toEqual(calls)
    expect(await coverageOf(without)).toEqual([])

    const exact = await scored(traced)
    const trades = await exact(tradesSql, tradeShape)
    const planned = world.ledger.trades
      .filter(({ kind }) => kind === 'swap')
      .map((row) => legOf({ ...row, sold: row.token_sold, bought: row.token_bought }))
    expect(keyed(trades.map(legOf))).toEqual(keyed([...planned, ...legs]))
    expect(trades.filter(({ is_countable }) => !is_countable)).toEqual([])

    // The buyer's only lot, at the prices of both instants.
    const [bought, , sold] = legs
    const [row] = await exact(resultSql(buyer, bought?.tx ?? '', sold?.tx ?? ''), resultShape)
    const usd = (coins: bigint | undefined, price: number | undefined) => Number(coins ?? 0n) * (price ?? Number.NaN)
    const realized = usd(sold?.amount_bought, row?.price_sold) - usd(bought?.amount_sold, row?.price_bought)
    expect(realized).toBeLessThan(-100)
    expect(Math.abs((row?.result ?? 0) + (row?.gas_usd ?? 0) - realized)).toBeLessThan(0.0051)

    const bounded = await scored(without)
    const found = keyed(await bounded(tradesSql, tradeShape))
    const isBound = (leg: TrueLeg): boolean => found.get(keyOf(leg))?.is_countable !== true
    expect(legs.map(isBound)).toEqual(legs.map(() => true))
  },
)
