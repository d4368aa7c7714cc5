import type { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { createRoleWorld } from '#sim/markets/roles/role_world.ts'
import { readTable } from '#test/oracle/blind/compare.ts'
import { removeSources, shrinkingWith } from '#test/oracle/clv/bugs/sources.ts'
import { openScores, replacing, type Mutation, type Scores } from '#test/skill/build.ts'
import { readAccounts } from '#test/skill/validated.ts'

import { readInputs } from './inputs.ts'
import { oracleOf } from './oracle.ts'

const wanted = ['metrics.clv_fills', 'metrics.clv', 'metrics.clv_scores', 'metrics.clv_guards', 'marts.pm_wallet']

type Row = Readonly<Record<string, unknown>>
type Compared = { name: string; key: readonly string[]; columns: readonly string[]; rows: readonly Row[] }

/** The oracle's tables with the columns that are compared. */
function tablesOf({ estimates, served, guards, wallets }: ReturnType<typeof oracleOf>): Compared[] {
  const figures = ['raw_points', 'raw_lower_points', 'raw_upper_points', 'mu_points', 'mu_se', 'clv_points']
  const named = (row: (typeof estimates)[number]): Row => ({
    ...row,
    raw_points: row.raw,
    raw_lower_points: row.lower,
    raw_upper_points: row.upper,
    mu_points: row.mu,
    clv_points: row.clv,
    skill_points: row.skill,
    n_clusters: row.n,
  })
  const skill = ['skill_points', 'skill_se', 'se', 'n_eff']
  return [
    {
      name: 'metrics.clv',
      key: ['trader', 'range', 'kind'],
      columns: [...figures, ...skill, 'v', 'tau2', 'p_above', 'p_below', 'n_clusters'],
      rows: estimates.map(named),
    },
    {
      name: 'metrics.clv_scores',
      key: ['trader', 'range'],
      columns: [...figures, ...skill, 'kind', 'q', 'q_below', 'q_wide', 'is_trusted'],
      rows: served.map(named),
    },
    { name: 'metrics.clv_guards', key: ['kind'], columns: Object.keys(guards[0] ?? {}), rows: guards },
    {
      name: 'marts.pm_wallet',
      key: ['address'],
      columns: Object.keys(wallets[0] ?? {}).filter((column) => column !== 'trader'),
      rows: wallets.map((wallet) => ({ ...wallet, address: wallet.trader })),
    },
  ]
}

/** The places at which some of the tables differ from the oracle; decimals of six places in `marts` by half a millionth. */
async function differences(connection: DuckDBConnection, names: readonly string[]): Promise<string[]> {
  const oracle = oracleOf(await readInputs(connection))
  const list: string[] = []
  for (const { name, key, columns, rows } of tablesOf(oracle).filter((table) => names.includes(table.name))) {
    const keyOf = (row: Row): string => key.map((column) => String(row[column])).join(' ')
    const made = new Map((await readTable(connection, name)).map((row) => [keyOf(row), row as Row]))
    if (made.size !== rows.length) list.push(`${name}: ${made.size} rows; expected ${rows.length}`)
    for (const row of rows) {
      for (const column of columns) {
        const [is, expected] = [made.get(keyOf(row))?.[column], row[column]]
        const within = name.startsWith('marts') || column === 'extreme_share' ? 5.1e-7 : 1e-9
        if (!isSame(is, expected, within))
          list.push(`${name} ${keyOf(row)} ${column}: ${String(is)}; expected ${String(expected)}`)
      }
    }
  }
  return list
}

const isSame = (a: unknown, b: unknown, within: number): boolean =>
  typeof a === 'number' && typeof b === 'number'
    ? Math.abs(a - b) <= within * Math.max(1, Math.abs(a), Math.abs(b))
    : a === b

let scores: Scores
beforeAll(async () => {
  const { world } = createRoleWorld({ seed: 41, scale: 0.35 })
  scores = await openScores({ world, at: world.now })
}, 600_000)
afterAll(async () => {
  scores.close()
  await removeSources()
})
const found = async (names: readonly string[], mutate: Mutation = (model) => model): Promise<string[]> =>
  differences(await scores.make({ wanted: names, tamper: readAccounts, mutate }), names)

test('scores, guards and words in a world of roles are those of the text', async () => {
  expect((await found(wanted)).slice(0, 10)).toEqual([])
}, 600_000)

test.each([
  [
    'a test of only one kind',
    () => shrinkingWith('a trader is tested by starts where there are ten of them, as it was'),
  ],
  ['a variance of skill by precision', () => shrinkingWith('the variance of skill weighs by precision')],
  [
    'a market maker by its inventory alone',
    () =>
      replacing(
        'metrics.trader_styles',
        'coalesce(s.maker_share >= r.maker, s.net_share <= r.net)',
        's.net_share <= r.net',
      ),
  ],
])(
  '%s is found',
  async (_, plant) => {
    expect(await found(['metrics.clv', 'metrics.clv_scores'], await plant())).not.toEqual([])
  },
  600_000,
)
