import { beforeAll, expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'
import type { Tamper } from '#test/skill/build.ts'

import { roleBounds } from './role_bounds.ts'
import { judgePublications } from './role_judge.ts'

/** The kind with the larger sample is served. */
const serve = `create or replace temp table served as
  select s.* from true_scores s
  join (select trader, arg_max(kind, true_n_eff) as kind from true_scores group by trader) using (trader, kind)`

const truthful = `update wallets set kind = s.kind, n_eff = s.true_n_eff, points_se = 0.2, unlisted_code = null,
    score = if(s.is_skilled or s.is_copier, s.beyond, 0), points = s.visible + 0.2 * case when hash(s.trader) % 100 < 95 then 1 else 3 end,
    archetype = case when (s.beyond > 0.5 or s.paid_beyond > 3) and (s.is_skilled or s.is_copier) then 'sharp' else 'generalist' end
  from served s where s.trader = wallets.trader`

/** So small a world has few samples of 10. */
const enough = 'update kinds set n_eff = n_eff + 10'

/** What is published in place of scores. The judge passes the first, and sees through the others. */
const publications = {
  'the truth': [],
  'the role in place of the skill': [
    `update wallets set score = s.role_visible, points = s.role_visible, archetype = if(s.true_role = 'maker', 'sharp', 'generalist')
      from served s where s.trader = wallets.trader`,
  ],
  'words for whom no close supports': [
    `update wallets set archetype = if(s.visible <= 0, 'sharp', 'generalist') from served s where s.trader = wallets.trader`,
  ],
  'errors that are too small': ['update wallets set points_se = 0.05'],
  'errors that are too large': ['update wallets set points_se = 2'],
  'no scores': ['update wallets set score = null'],
} satisfies Record<string, string[]>

const breaches = new Map<string, string[]>()
beforeAll(async () => {
  const changes = Object.values(publications).map((statements): Tamper => async (connection) => {
    for (const statement of [serve, enough, truthful, ...statements]) await connection.run(statement)
  })
  const verdicts = await judgePublications({ seed: 3, scale: sized(0.4, 0.4, 0.6) }, changes)
  for (const [i, name] of Object.keys(publications).entries()) {
    const broken = roleBounds(verdicts.slice(i, i + 1)).filter((bound) => bound.breaches.length > 0)
    breaches.set(
      name,
      broken.map((bound) => bound.name),
    )
  }
}, 600_000)

const falseSharps = ['sharp without skill beyond the role', 'sharp without skill beyond the role, upper bound']
const coverage = 'coverage of clv +- 1.96 se'

test.each<[keyof typeof publications, string[]]>([
  ['the truth', []],
  [
    'the role in place of the skill',
    [...falseSharps, 'sharp without a visible edge', 'power', 'skilled among the first 20', coverage],
  ],
  ['words for whom no close supports', [...falseSharps, 'sharp without a visible edge', 'power']],
  ['errors that are too small', [coverage]],
  ['errors that are too large', [coverage]],
  ['no scores', ['skilled among the first 20', 'lists']],
])('%s breaks exactly the bounds that it must', (name, expected) => {
  expect(breaches.get(name)).toEqual(expected)
})
