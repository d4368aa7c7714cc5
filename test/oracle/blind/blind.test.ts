import { beforeAll, describe, expect, test } from 'vitest'

import { createWorld } from '#sim/markets/world.ts'
import { sized } from '#test/run/sized.ts'
import { scoreWorld, type Tamper } from '#test/skill/build.ts'

import { differencesOf, readTable, type Difference } from './compare.ts'
import { readFacts, type Facts } from './facts.ts'
import { oracleOf } from './oracle.ts'
import { tablesOfOracle, type Row } from './rows.ts'
import { planted, revised, type Rules } from './rules.ts'
import { addOddRows } from './tamper.ts'

const scored = [
  'metrics.clv_fills',
  'metrics.clv_clusters',
  'metrics.clv_populations',
  'metrics.clv',
  'metrics.clv_scores',
  'metrics.clv_guards',
]

/** The facts of one world, and the tables that the models made of them. */
type Made = { facts: Facts; tables: Map<string, Row[]> }

async function make(world: ReturnType<typeof createWorld>, tamper?: Tamper): Promise<Made> {
  const faulty = { wanted: scored, ...(tamper === undefined ? {} : { tamper }) }
  return scoreWorld({ world, at: world.now, ...faulty }, async (connection) => {
    const tables = new Map<string, Row[]>()
    for (const name of scored) tables.set(name, await readTable(connection, name))
    return { facts: await readFacts(connection, world.now), tables }
  })
}

const differences = ({ facts, tables }: Made, rules: Rules): Difference[] =>
  tablesOfOracle(oracleOf(facts, rules)).flatMap((table) => differencesOf(table, tables.get(table.name) ?? []))

let hard: Made
let odd: Made
beforeAll(async () => {
  hard = await make(createWorld({ seed: 21, scale: sized(0.05, 0.05, 0.07), isHard: true }))
  odd = await make(createWorld({ seed: 22, scale: 0.05 }), addOddRows)
}, 900_000)

describe('closing line value, computed from its page alone', () => {
  test.each([
    ['a hard world', () => hard],
    ['a world with odd rows', () => odd],
  ])(
    'is that of the models in %s',
    (_, of) => {
      const made = of()
      expect(differences(made, revised).slice(0, 5)).toEqual([])
      for (const name of scored) expect(made.tables.get(name)).not.toEqual([])
    },
    120_000,
  )

  test('has both kinds and all ranges, and a guard that does not hold', () => {
    const served = odd.tables.get('metrics.clv_scores') ?? []
    expect(new Set(served.map(({ kind, range }) => `${kind} ${range}`)).size).toBeGreaterThanOrEqual(4)
    expect(new Set(served.map(({ is_trusted }) => is_trusted))).toEqual(new Set([true, false]))
  })
})

test.each(planted)(
  '$name: the comparison finds the bug',
  ({ rules }) => {
    expect(differences(odd, rules)).not.toEqual([])
  },
  60_000,
)
