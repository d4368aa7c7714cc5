import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { createRoleWorld } from '#sim/markets/roles/role_world.ts'
import { sized } from '#test/run/sized.ts'
import { scoreWorld } from '#test/skill/build.ts'
import { load } from '#test/skill/load.ts'

const seeds = sized([31], [31], [31, 32, 33])

const pair = z.object({ is_planted: z.boolean(), is_copier: z.boolean(), lag_s: z.number() })
const copier = z.object({ is_found: z.boolean() })
type Found = { pairs: z.infer<typeof pair>[]; copiers: z.infer<typeof copier>[] }

/** Two act as one if one copies the other, if both copy a third, or if they belong to one owner or ring. */
const pairs = `select coalesce(a.leader = b.trader, false) as is_copier, p.lag_s,
    is_copier or coalesce(b.leader = a.trader, false) or coalesce(a.leader = b.leader, false)
      or coalesce(a.owner = b.owner, false) as is_planted
  from metrics.acting_pairs p join players a on a.trader = p.trader join players b on b.trader = p.partner`

/** The copiers with 30 fills. */
const copiers = `select g.trader is not null as is_found
  from players p left join metrics.acting_groups g using (trader)
  where p.leader is not null and p.trader in (select trader from lake.fills group by trader having count(*) >= 30)`

async function find(seed: number): Promise<Found> {
  const { world, truth } = createRoleWorld({ seed, scale: sized(0.5, 0.5, 1) })
  const wanted = ['metrics.acting_pairs', 'metrics.acting_groups']
  return scoreWorld({ world, at: world.now, wanted }, async (connection) => {
    const { players } = truth
    await load(connection, 'players', {
      trader: ['varchar', players.map(({ wallet }) => wallet)],
      leader: ['varchar', players.map(({ leader }) => players[leader ?? -1]?.wallet ?? null)],
      owner: ['integer', players.map(({ group }) => group)],
    })
    const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson()
    return { pairs: z.array(pair).parse(await read(pairs)), copiers: z.array(copier).parse(await read(copiers)) }
  })
}

describe('wallets that act as one', () => {
  const found: Found[] = []
  beforeAll(async () => {
    for (const seed of seeds) found.push(await find(seed))
  }, 600_000)

  test('are planted ones, all of them', () => {
    const all = found.flatMap((each) => each.pairs)
    expect(all.length).toBeGreaterThan(20)
    expect(all.filter(({ is_planted }) => !is_planted)).toEqual([])
  })

  test('are eight in ten of the copiers with 30 fills', () => {
    const all = found.flatMap((each) => each.copiers)
    expect(all.length).toBeGreaterThan(8)
    expect(all.filter(({ is_found }) => is_found).length / all.length).toBeGreaterThanOrEqual(0.8)
  })

  test('have the copier after its leader', () => {
    const lags = found.flatMap((each) => each.pairs.filter(({ is_copier }) => is_copier).map(({ lag_s }) => lag_s))
    expect(lags.length).toBeGreaterThan(8)
    expect(lags.filter((lag_s) => lag_s >= 0)).toEqual([])
  })
})
