import { beforeAll, describe, expect, test } from 'vitest'

import { createWorld } from '#sim/markets/world.ts'
import { differencesOf, readTable, type Difference } from '#test/oracle/blind/compare.ts'
import type { Row } from '#test/oracle/blind/rows.ts'
import { sized } from '#test/run/sized.ts'
import { scoreWorld, type Tamper } from '#test/skill/build.ts'
import { readAccounts } from '#test/skill/validated.ts'

import { readTraderFacts, type TraderFacts } from './facts.ts'
import { servedOf, tradersOf, type Served } from './oracle.ts'
import { addressOf } from './planted_people.ts'
import { tablesOfTraders } from './rows.ts'
import { planted, revised, type Rules } from './rules.ts'
import { addOddTraders } from './tamper.ts'

const scored = [
  'core.trader_markets',
  'metrics.trader_results',
  'metrics.trader_balances',
  'metrics.trader_traits',
  'metrics.wash_shares',
  'marts.pm_traders',
  'marts.pm_wallet',
]

/** The facts of one world with the closing line values that follow, and the tables that the models made of them. */
type Made = { facts: TraderFacts; served: Served; tables: Map<string, Row[]> }

async function make(world: ReturnType<typeof createWorld>, tamper: Tamper): Promise<Made> {
  return scoreWorld({ world, at: world.now, wanted: scored, tamper }, async (connection) => {
    // A map is no cell; its entries are the columns of other tables here.
    await connection.run('create temp view profiles as select * exclude (traits) from marts.pm_wallet')
    const tables = new Map<string, Row[]>()
    for (const name of scored)
      tables.set(name, await readTable(connection, name === 'marts.pm_wallet' ? 'profiles' : name))
    const facts = await readTraderFacts(connection, world.now)
    return { facts, served: servedOf(facts), tables }
  })
}

/** A mean price has six places; one that lies between two of them is rounded to either. */
const isTie = ({ column, made, expected }: Difference): boolean =>
  column === 'expected_win_rate' && Math.abs(Number(made) - Number(expected)) < 1.5e-6

const differences = ({ facts, served, tables }: Made, rules: Rules): Difference[] =>
  tablesOfTraders(tradersOf(facts, served, rules)).flatMap((table) =>
    differencesOf(table, tables.get(table.name) ?? []).filter((one) => !isTie(one)),
  )

let hard: Made
let odd: Made
beforeAll(async () => {
  hard = await make(createWorld({ seed: 23, scale: sized(0.05, 0.05, 0.1), isHard: true }), readAccounts)
  odd = await make(createWorld({ seed: 24, scale: 0.04 }), addOddTraders)
}, 900_000)

describe('wash trades, archetypes and lists of traders, computed from their pages alone', () => {
  test.each([
    ['a hard world', () => hard],
    ['a world with traders at the edges of the rules', () => odd],
  ])(
    'are those of the models in %s',
    (_, of) => {
      const made = of()
      expect(differences(made, revised).slice(0, 5)).toEqual([])
      for (const name of scored) expect(made.tables.get(name)).not.toEqual([])
    },
    120_000,
  )

  test('finds the planted pairs, and the traders at the edge of the wash rule', () => {
    const rows = odd.tables.get('metrics.wash_shares') ?? []
    const washLike = new Set(rows.filter((row) => row['is_wash_like'] === true).map(({ trader }) => trader))
    const isFound = (name: string): boolean => washLike.has(addressOf(name))
    expect(['pair.a', 'pair.b', 'self.a'].filter((name) => !isFound(name))).toEqual([])
    const others = ['twice', 'friends', 'customer', 'unseen', 'once'].flatMap((name) => [`${name}.a`, `${name}.b`])
    expect([...others, 'self.b'].filter(isFound)).toEqual([])
    expect(hard.tables.get('metrics.wash_shares')?.some((row) => row['is_wash_like'] === true)).toBe(true)
  })

  test('names the planted archetypes, and the reasons for being on no list', () => {
    const profiles = new Map((odd.tables.get('marts.pm_wallet') ?? []).map((row) => [row['address'], row]))
    const archetypeOf = (name: string) => profiles.get(addressOf(name))?.['archetype']
    const named = ['maker', 'tilted', 'sets.60', 'sets.61', 'longshot', 'favorite', 'closed.9', 'closed.10', 'fills.19']
    expect(Object.fromEntries(named.map((name) => [name, archetypeOf(name)]))).toEqual({
      maker: 'market_maker',
      // Inventory that is not flat.
      tilted: 'market_maker',
      'sets.60': 'arbitrageur',
      'sets.61': 'generalist',
      longshot: 'longshot_hunter',
      favorite: 'favorite_backer',
      'closed.9': 'unproven',
      'closed.10': 'generalist',
      'fills.19': 'unproven',
    })
    expect(new Set([...profiles.values()].map((row) => row['unlisted_reason'])).size).toBe(5)
  })
})

test.each(planted)(
  '$table with $name: the comparison finds the bug',
  ({ table, rules }) => {
    const found = [odd, hard].some((made) => differences(made, rules).some((one) => one.table === table))
    expect(found).toBe(true)
  },
  60_000,
)
