import { z } from 'zod'

import { createRegistryTables } from '#builder/builtin_tables.ts'
import type { Lake } from '#lake/lake.ts'
import { tradesOf } from '#sim/markets/kalshi_wire/trades.ts'
import { systemAddresses, type World } from '#sim/markets/types.ts'
import { txHash } from '#sim/markets/world.ts'
import { modelOf } from '#test/scoring/model.ts'
import type { Micros } from '#time.ts'

/** The columns of a staged fill without its role, in the order of `textOf` for a true fill. */
export const fillColumns = 'tx, trader, side, epoch(ts)::bigint, (size * 1000000)::bigint'

/** The rows of a staging model over a lake, as text, in order. */
export const staged = (
  lake: Lake,
  as_of: Micros,
  model: 'tape' | 'fills',
  { columns, where = 'true' }: { columns: string; where?: string },
): Promise<string[]> =>
  lake.read(async ({ query }) => {
    const run = (statement: string): Promise<unknown> => query(statement, z.unknown())
    await run('create schema staging; create schema core')
    await run(`create table core.clock as select make_timestamp(${as_of}) as as_of`)
    await createRegistryTables({ run }, ['core.venues'])
    for (const name of ['system_addresses', 'coverage_intervals', 'precedences', 'markets', 'outcome_tokens', model])
      await run(`create table staging.${name} as ${modelOf(`staging.${name}`).sql}`)
    const sql = `select concat_ws(' ', ${columns}) as text from staging.${model} where ${where}`
    return (await query(sql, z.object({ text: z.string() }))).map(({ text }) => text).toSorted()
  })

/** The true fills of a world, those of combos left out, in the same words and order. */
export const trueFills = (world: World, isWanted: (fill: number) => boolean, isWithRole: boolean): string[] => {
  const { fills, matches } = world
  return Array.from({ length: fills.length }, (_, fill) => fill)
    .filter((fill) => (matches.market[fills.match[fill] ?? 0] ?? -1) >= 0 && isWanted(fill))
    .map((fill) => {
      const match = fills.match[fill] ?? 0
      const trader = fills.trader[fill] ?? 0
      const wallet = world.traders[trader]?.wallet ?? systemAddresses[-1 - trader]
      const role = isWithRole ? [fills.isTaker[fill] === 1 ? 'taker' : 'maker'] : []
      const side = fills.side[fill] === 0 ? 'buy' : 'sell'
      const tx = txHash(world, matches.tx[match] ?? 0)
      return [tx, wallet, side, tradedAt_s(world, fill), fills.size[fill], ...role].join(' ')
    })
    .toSorted()
}

/** The true trades of Kalshi in a window, in the same words. The trader is empty. */
export const trueTrades = (world: World, { from, to }: { from: Micros; to: Micros }): string[] =>
  tradesOf(world)
    .filter(({ at }) => at >= from && at < to)
    .map(({ id, at, count, isBlock }) =>
      [id, '', 'buy', Math.round(at / 1_000_000), count * 10_000, isBlock ? 'block' : 'taker'].join(' '),
    )

/** The time of a fill of a world. */
export const tradedAt_s = ({ fills, matches }: World, fill: number): number => matches.ts_s[fills.match[fill] ?? 0] ?? 0
