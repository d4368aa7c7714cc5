import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

import { createRoleWorld, type RoleWorld } from '#sim/markets/roles/role_world.ts'
import { scoreWorld, type Tamper } from '#test/skill/build.ts'
import { readAccounts } from '#test/skill/validated.ts'

import { loadPublished, publishedTables } from './published.ts'
import { ranksAt, type Rank } from './role_ranks.ts'
import { loadRoleTruth, trueScores } from './role_truth.ts'

const count = z.coerce.number()
const shares = z.array(z.object({ name: z.string(), n: count, of: count }))
export type Shares = z.infer<typeof shares>

/** How the published scores of a world of roles compare with its truth. */
export type RoleVerdict = {
  seed: number
  /** Of those called sharp the ones who neither know nor copy who knows, or have no edge beyond their role. */
  falseSharps: Shares
  /** Of those called sharp the ones without an edge that a close can see. */
  invisibleSharps: Shares
  /** Of those with a true edge of 3 points beyond their role and an effective sample of 20 in a kind, the sharp. */
  power: Shares
  /** Of the first 20 by score those who have skill. */
  first: Shares
  /** Of estimates those with the truth within 1.96 errors: by role, by strategy and by decile of the sample. */
  covered: Shares
  /** The same of the estimates of each kind, and of the score, whose truth is the edge beyond the role. */
  kindCovered: Shares
  scoreCovered: Shares
  /** The same of the raw edge and its interval. */
  rawCovered: Shares
  ranks: Rank[]
  /** Of the listed traders those with a score, and the guards that do not hold. */
  scored: Shares
  brokenGuards: string[]
}

export type Judged = {
  seed: number
  scale: number
  slope?: number
  hasRanks?: boolean
  /** Changes rows of the lake. */
  tamper?: Tamper
}

/** Scores a world of roles as of its `now`, and for ranks as of its day 90. */
export async function judgeRoles({ hasRanks = true, ...judged }: Judged): Promise<RoleVerdict> {
  const made = worldOf(judged)
  const [verdict] = await verdictsOf(made, judged, [async () => {}])
  if (verdict === undefined) throw new Error('judge: no verdict; expected one')
  return { ...verdict, ranks: hasRanks ? await ranksAt(made, readingAccounts(judged.tamper)) : [] }
}

/**
 * Judges one scored world several times. Each time something else is published: a change of the tables `wallets` and
 * `kinds`, beside `true_scores`.
 */
export const judgePublications = (judged: Judged, republish: readonly Tamper[]): Promise<RoleVerdict[]> =>
  verdictsOf(worldOf(judged), judged, republish)

const worldOf = ({ seed, scale, slope }: Judged): RoleWorld =>
  createRoleWorld({ seed, scale, ...(slope !== undefined && { slope }) })

const verdictsOf = (made: RoleWorld, { seed, tamper }: Judged, republish: readonly Tamper[]): Promise<RoleVerdict[]> =>
  scoreWorld(
    { world: made.world, at: made.world.now, wanted: publishedTables, tamper: readingAccounts(tamper) },
    async (connection) => {
      await loadRoleTruth(connection, made)
      await connection.run(trueScores)
      const verdicts: RoleVerdict[] = []
      for (const change of republish) {
        await loadPublished(connection)
        await change(connection)
        verdicts.push({ seed, ranks: [], ...(await verdictOf(connection)) })
      }
      return verdicts
    },
  )

/** Every account was read by itself, so that its history is complete. */
const readingAccounts =
  (tamper?: Tamper): Tamper =>
  async (connection) => {
    await readAccounts(connection)
    await tamper?.(connection)
  }

async function verdictOf(connection: DuckDBConnection): Promise<Omit<RoleVerdict, 'seed' | 'ranks'>> {
  await connection.run(people)
  await connection.run(intervals)
  const read = async (sql: string): Promise<Shares> =>
    shares.parse((await connection.runAndReadAll(sql)).getRowObjectsJson())
  const guards = await connection.runAndReadAll(
    `select concat_ws(' ', kind, subset) from guards where is_held = false order by all`,
  )
  return {
    falseSharps: await read(sharps('not has_skill')),
    invisibleSharps: await read(sharps('not is_visible')),
    power: await read(power),
    first: await read(first),
    covered: await read(covered('abs(points - visible) <= 1.96 * points_se', 'score is not null and n_eff >= 10')),
    kindCovered: await read(covered('abs(kind_points - visible) <= 1.96 * kind_se', 'n_eff >= 10')),
    scoreCovered: await read(covered('abs(score - beyond) <= 1.96 * se', 'score is not null and n_eff >= 10')),
    rawCovered: await read(covered('visible between raw_lower and raw_upper', 'raw_lower is not null')),
    scored: await read(scored),
    brokenGuards: guards.getRows().map(([guard]) => String(guard)),
  }
}

const scored = `select 'listed' as name, count(score) as n, count(*) as of from wallets where unlisted_code is null`

/**
 * A trader has skill if it knows or copies who knows, and its edge in some kind is beyond its role; what it is paid
 * counts as well as what a close sees.
 */
const people = `create or replace temp table people as
  select w.*, t.strategy, t.true_role, s.has_skill and (t.is_skilled or t.is_copier) as has_skill, s.is_visible, s.is_strong
  from wallets w
  join true_traders t using (trader)
  join (
    select s.trader, bool_or(s.beyond > 0 or s.paid_beyond > 0) as has_skill, bool_or(s.visible > 0) as is_visible,
      bool_or(s.beyond >= 3 and k.n_eff >= 20) as is_strong
    from true_scores s
    join kinds k on k.trader = s.trader and k.kind = s.kind
    group by s.trader
  ) s using (trader)`

const sharps = (what: string): string =>
  `select true_role || ' ' || strategy as name, count(*) filter (${what}) as n, count(*) as of
    from people where archetype = 'sharp' group by all order by all`

const power = `select true_role || ' ' || strategy as name, count(*) filter (archetype = 'sharp') as n, count(*) as of
  from people where is_strong and coalesce(unlisted_code, '') <> 'unproven' group by all order by all`

const first = `select 'first' as name, count(*) filter (has_skill) as n, count(*) as of from (
  select * from people where unlisted_code is null and n_eff >= 10 and score is not null
  order by score desc, trader limit 20)`

/** What is published of each kind, and of the served kind what the wallet shows. */
const intervals = `create or replace temp table intervals as
  select s.*, k.raw, k.raw_lower, k.raw_upper, k.n_eff, k.points as kind_points, k.se as kind_se, w.score, w.se, w.points, w.points_se
  from true_scores s
  join kinds k on k.trader = s.trader and k.kind = s.kind
  left join wallets w on w.trader = s.trader and w.kind = s.kind`

const covered = (what: string, where: string): string => `with counted as (
    select *, ntile(10) over (order by n_eff) as decile from intervals where ${where}
  ),
  named as (
    select *, 'role ' || true_role as name from counted
    union all
    select *, 'strategy ' || strategy from counted
    union all
    select *, 'decile ' || lpad(decile::varchar, 2, '0') from counted
    union all
    select *, 'kind ' || kind from counted
  )
  select name, count(*) filter (${what}) as n, count(*) as of from named group by name order by name`
