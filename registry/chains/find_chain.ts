import type { z } from 'zod'

import type { Chain } from './chain.ts'
import { chains } from './registry.ts'

/** A name that is no chain. */
export class UnknownChain extends Error {
  /** The slugs of the three nearest chains, the nearest first. */
  readonly nearest: readonly string[]

  constructor(text: string, nearest: readonly string[]) {
    super(`chain ${text}: unknown; expected a slug, a chain id or a name of viem, such as ${nearest.join(', ')}`)
    this.name = 'UnknownChain'
    this.nearest = nearest
  }
}

/** Finds a chain by its slug, its id or a name of viem, in any case. Throws an {@link UnknownChain}. */
export function findChain(text: string): Chain {
  const chain = byName.get(text.toLowerCase())
  if (chain !== undefined) return chain
  throw new UnknownChain(text, nearestSlugs(text))
}

/** The slugs of a list of chains, separated by commas. A name that is no chain is an issue of the setting. */
export function slugsOf(text: string, context: z.RefinementCtx): string[] {
  const names = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
  return names.flatMap((name) => {
    try {
      return [findChain(name).slug]
    } catch (error) {
      if (!(error instanceof UnknownChain)) throw error
      context.addIssue({ code: 'custom', message: error.message })
      return []
    }
  })
}

/** The chain of an RPC setting, such as `RPC_ARBITRUM_NOVA`; undefined if no slug fits. */
export const chainOfVariable = (name: string): Chain | undefined => chains.find((chain) => rpcVariable(chain) === name)

/** The setting with the endpoints of a chain. */
export const rpcVariable = ({ slug }: Pick<Chain, 'slug'>): string => `RPC_${slug.toUpperCase().replaceAll('-', '_')}`

type Near = { slug: string; id: number; distance: number }

/**
 * The slugs of the chains with the nearest names. A beginning of a name is as near as one wrong letter. Names that are
 * farther than the nearest so far are not compared to their end, since any request may have an unknown name.
 */
export function nearestSlugs(text: string, n = 3): string[] {
  const wanted = text.toLowerCase()
  let nearest: Near[] = []
  for (const { slug, id, names } of candidates) {
    const most = nearest.length < n ? Infinity : (nearest.at(-1)?.distance ?? Infinity)
    const distance = Math.min(...names.map((name) => (name.startsWith(wanted) ? 1 : editDistance(wanted, name, most))))
    if (distance > most) continue
    nearest = [...nearest, { slug, id, distance }].sort((a, b) => a.distance - b.distance || a.id - b.id).slice(0, n)
  }
  return nearest.map(({ slug }) => slug)
}

function namesOf({ slug, id, aliases }: Chain): string[] {
  return [slug, ...(id === null ? [] : [String(id)]), ...aliases].map((name) => name.toLowerCase())
}

/** Slugs win over names of viem, where a name is another chain's slug. */
const byName = new Map<string, Chain>()
for (const chain of chains) for (const name of namesOf(chain)) byName.set(name, chain)
for (const chain of chains) byName.set(chain.slug, chain)

const candidates = chains.map((chain) => ({ slug: chain.slug, id: chain.id ?? 0, names: namesOf(chain) }))

/** The insertions, deletions and replacements that turn one text into another (Levenshtein); above `most`, Infinity. */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return Infinity
  const line = Uint32Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let row = 1; row <= a.length; row++) {
    let [diagonal, left] = [row - 1, row]
    let least = row
    line[0] = row
    for (let column = 1; column <= b.length; column++) {
      const above = line[column] ?? 0
      left = Math.min(diagonal + (a[row - 1] === b[column - 1] ? 0 : 1), above + 1, left + 1)
      diagonal = above
      line[column] = left
      if (left < least) least = left
    }
    if (least > most) return Infinity
  }
  return line[b.length] ?? 0
}
