import { UsageError } from '#bin/command_line/values.ts'
import type { Source } from '#ingest/source.ts'

/** The scope of a backfill of a source: one of its parts, or the units of the keys; without both, all units. */
export type NamedUnits = { part?: string; keys: string[] }

/**
 * The units that `--part` names: a part, such as a chain or a venue, or one unit by its key. A key may follow the name
 * of its venue, as the lake writes it. Throws a {@link UsageError} if the source has no such part and no such key.
 */
export function namedUnits(source: Source, text: string): NamedUnits {
  const [only, ...others] = source.parts
  if (source.parts.some(({ name }) => name === text))
    return others.length === 0 ? { keys: [] } : { part: text, keys: [] }
  if (source.kind === 'stream' || source.keyForm === undefined) throw new UsageError(noUnits(source, text))
  const key = text.startsWith(`${only.name}:`) ? text.slice(only.name.length + 1) : text
  const parsed = source.keyForm.safeParse(key)
  if (!parsed.success) {
    const expected = parsed.error.issues.map(({ message }) => message).join(', ')
    throw new UsageError(`--part ${text}: no unit of ${source.name}; ${expected}`)
  }
  return { keys: [parsed.data] }
}

function noUnits({ name, parts, unit }: Source, text: string): string {
  const names = parts.map((part) => part.name)
  if (unit === 'observation') return `--part ${text}: ${name} observes a whole list; expected no --part`
  return names.length === 1
    ? `--part ${text}: ${name} has no units that can be named; expected no --part`
    : `--part ${text}: unknown part of ${name}; expected ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`
}
