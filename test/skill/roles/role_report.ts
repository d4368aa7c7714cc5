import { totalOf, wilsonOf, type Share } from '#test/skill/hard_pool.ts'

import { poolShares, rivalsOf, roleBounds } from './role_bounds.ts'
import type { RoleVerdict, Shares } from './role_judge.ts'

/** The figures of some worlds of roles as lines of text, the bounds last. */
export function roleReport(verdicts: readonly RoleVerdict[]): string[] {
  const lines = verdicts.flatMap(({ seed, brokenGuards }) =>
    brokenGuards.map((guard) => `seed ${seed}: a guard does not hold: ${guard}`),
  )
  const part = (title: string, pick: (verdict: RoleVerdict) => Shares): void => {
    const pool = poolShares(verdicts, pick)
    // Intervals are counted under several names.
    if (!/hold|kind/.test(title) && pool.size > 1) lines.push(line(title, totalOf(pool)))
    for (const [name, share] of [...pool].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      lines.push(line(`${title}, ${name}`, share))
  }
  part('sharp without skill beyond the role', ({ falseSharps }) => falseSharps)
  part('sharp without a visible edge', ({ invisibleSharps }) => invisibleSharps)
  part('power', ({ power }) => power)
  part('skilled among the first 20', ({ first }) => first)
  part('clv +- 1.96 se holds', ({ covered }) => covered)
  part('the same of each kind', ({ kindCovered }) => kindCovered)
  part('clv_score +- 1.96 se holds the edge beyond the role', ({ scoreCovered }) => scoreCovered)
  part('the raw interval holds', ({ rawCovered }) => rawCovered)
  part('scored', ({ scored }) => scored)
  for (const { role, target, rival, score, other, difference, se } of rivalsOf(verdicts.map(({ ranks }) => ranks)))
    lines.push(
      `day 90, ${role}s, ${target}: clv_score ${fixed(score)}, ${rival} ${fixed(other)}, difference ${fixed(difference)} (se ${fixed(se)})`,
    )
  for (const { name, n, breaches } of roleBounds(verdicts)) {
    lines.push(`${breaches.length === 0 ? 'holds' : 'FAILS'}: ${name} (n ${n})`)
    for (const breach of breaches) lines.push(`  ${breach}`)
  }
  return lines
}

const fixed = (value: number): string => value.toFixed(3)

function line(name: string, share: Share): string {
  if (share.of === 0) return `${name}: none`
  const { lower, upper } = wilsonOf(share)
  return `${name}: ${share.n} of ${share.of}, ${fixed(share.n / share.of)} [${fixed(lower)}, ${fixed(upper)}]`
}
