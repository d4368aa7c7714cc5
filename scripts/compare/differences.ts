import { z } from 'zod'

import type { Both } from './describe.ts'
import { kinds, type Evidence, type Kind } from './evidence.ts'

/** A name of a kind of evidence whose texts differ. A side without the name has no text. */
export type Difference = {
  world: string
  kind: Kind
  name: string
  before: string | undefined
  after: string | undefined
  /** The reason of the list of intended changes; undefined: not intended. */
  reason: string | undefined
}

/**
 * An intended change. `*` in a pattern stands for any text. A change with a commit is intended only between a commit
 * that lacks it and one that has it.
 */
export const intendedShape = z.array(
  z.strictObject({
    world: z.string(),
    kind: z.enum([...kinds, '*']),
    name: z.string(),
    reason: z.string().min(1),
    commit: z.string().optional(),
  }),
)
export type Intended = z.output<typeof intendedShape>

/** The differences between the evidence of two sides of a world, in the order of kinds and names. */
export function differencesOf(world: string, { before, after }: Both<Evidence>, intended: Intended): Difference[] {
  return kinds.flatMap((kind) => {
    const [old, recent] = [before[kind], after[kind]]
    const names = [...new Set([...old.keys(), ...recent.keys()])].sort()
    return names
      .filter((name) => old.get(name) !== recent.get(name) || old.has(name) !== recent.has(name))
      .map((name) => {
        const change = intended.find((pattern) => isMatch({ world, kind, name }, pattern))
        return { world, kind, name, before: old.get(name), after: recent.get(name), reason: change?.reason }
      })
  })
}

const isMatch = (difference: Pick<Difference, 'world' | 'kind' | 'name'>, pattern: Intended[number]): boolean =>
  fits(pattern.world, difference.world) && fits(pattern.kind, difference.kind) && fits(pattern.name, difference.name)

const fits = (pattern: string, text: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text)
}
