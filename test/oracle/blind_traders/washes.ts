import type { Facts, Fill } from '#test/oracle/blind/facts.ts'
import { grouped, sumOf } from '#test/oracle/blind/numbers.ts'
import { cashOf } from '#test/oracle/blind/prints.ts'

import type { Rules } from './rules.ts'

/** The volume of a trader that was matched with itself, or with one partner, in millionths of a US dollar. */
export type Wash = {
  trader: string
  volume: number
  self: number
  partner: string | null
  partnerVolume: number
  isWashLike: boolean
}

type Matched = { trader: string; other: string; usd: number }

export function washesOf(facts: Facts, rules: Rules): Map<string, Wash> {
  const rows = facts.fills.filter(({ trader }) => trader !== '')
  const volumes = new Map(
    [...grouped(rows, ({ trader }) => trader)].map(([trader, own]) => [trader, sumOf(own, cashOf)]),
  )
  const matched = grouped(matchesOf(facts.fills, rules), ({ trader }) => trader)
  const shareOf = (trader: string, usd: number): number => usd / (volumes.get(trader) ?? 0)
  return new Map(
    [...volumes].map(([trader, volume]): [string, Wash] => {
      const own = matched.get(trader) ?? []
      const self = sumOf(
        own.filter(({ other }) => other === trader),
        ({ usd }) => usd,
      )
      const partners = [
        ...grouped(
          own.filter(({ other }) => other !== trader && other !== ''),
          ({ other }) => other,
        ),
      ].map(([other, matches]) => {
        const usd = sumOf(matches, (one) => one.usd)
        const back = (matched.get(other) ?? []).filter((one) => one.other === trader)
        const [mine, theirs] = [
          shareOf(trader, usd),
          shareOf(
            other,
            sumOf(back, (one) => one.usd),
          ),
        ]
        return { other, usd, isWash: isWash(mine, theirs, matches.length, rules) }
      })
      const [partner] = partners.toSorted(
        (a, b) => Number(b.isWash) - Number(a.isWash) || b.usd - a.usd || (a.other < b.other ? 1 : -1),
      )
      const isSelf = self >= 0.2 * volume && self > 0
      const isWashLike = isSelf || (partner?.isWash ?? false)
      return [
        trader,
        { trader, volume, self, partner: partner?.other ?? null, partnerVolume: partner?.usd ?? 0, isWashLike },
      ]
    }),
  )
}

function isWash(mine: number, theirs: number, n_matches: number, { wash, leastMatches }: Rules): boolean {
  if (n_matches < leastMatches) return false
  if (wash === 'half of the partner') return mine >= 0.2 && theirs >= 0.5
  return mine >= 0.2 && theirs >= 0.2 && Math.max(mine, theirs) >= 0.5
}

/**
 * Both sides of a match are known in a transaction with one taker: each maker met the taker. Of the taker's cash, a
 * maker met the part of its shares.
 */
function matchesOf(fills: readonly Fill[], { takers }: Rules): Matched[] {
  return [...grouped(fills, ({ tx }) => tx).values()].flatMap((rows) => {
    const taken = rows.filter(({ role }) => role === 'taker')
    const taker = taken[0]?.trader
    if (taker === undefined || (takers === 'one' && taken.some(({ trader }) => trader !== taker))) return []
    const price = sumOf(taken, cashOf) / sumOf(taken, ({ size }) => size)
    const made = rows.filter(({ role }) => role === 'maker')
    return [...grouped(made, ({ trader }) => trader)].flatMap(([maker, own]): Matched[] => [
      { trader: maker, other: taker, usd: sumOf(own, cashOf) },
      { trader: taker, other: maker, usd: Math.round(price * sumOf(own, ({ size }) => size)) },
    ])
  })
}
