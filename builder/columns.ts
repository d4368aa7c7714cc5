import type { ModelColumn } from './model.ts'

/**
 * The types that column names imply, in the order of matching: `*_usd` holds US dollars in every table. A header states
 * a type only if the name does not imply it.
 */
const typeOfName: readonly (readonly [RegExp, string])[] = [
  [/^ts$|_at$|^as_of$/, 'TIMESTAMP'],
  [/^day$/, 'DATE'],
  [/^usd$|_usd$/, 'DECIMAL(38,6)'],
  [/^amount/, 'BIGNUM'],
  [/^size/, 'DECIMAL(38,6)'],
  [/^(price|bid|ask|mid|last|payout|yes_price|no_price)$/, 'DECIMAL(9,6)'],
  [/_rate$|_share$|^confidence$|^weight$/, 'DECIMAL(9,6)'],
  [/_pct$|_points$/, 'DECIMAL(9,6)'],
  [/^credit$/, 'DECIMAL(38,6)'],
  [/^n_|_s$|^block$|_block$/, 'BIGINT'],
  [/_index$|^(seq|ordinal|lot|outcome|rank)$/, 'INTEGER'],
  [/^is_/, 'BOOLEAN'],
]

/** The type that a column's name implies. */
export const typeOf = (name: string): string => typeOfName.find(([pattern]) => pattern.test(name))?.[1] ?? 'VARCHAR'

/**
 * Parses a table's columns: `market_id, ts; bid?, labels VARCHAR[], is_open`. The columns before the semicolon are the
 * key, which is also the total order of the rows. `?` marks a nullable column. A type follows if the name does not
 * imply it.
 */
export function parseColumns(notation: string): ModelColumn[] {
  const [keyPart, restPart, ...others] = notation.split(';')
  if (keyPart === undefined || others.length > 0)
    throw new Error(`columns "${notation}": several semicolons; expected one, after the key`)
  const key = entries(keyPart).map(column(true))
  if (key.length === 0) throw new Error(`columns "${notation}": no key; expected columns before the semicolon`)
  const columns = [...key, ...entries(restPart ?? '').map(column(false))]
  const twice = columns.find(({ name }, index) => columns.findIndex((other) => other.name === name) < index)
  if (twice !== undefined)
    throw new Error(`columns "${notation}": column ${twice.name} is named twice; expected unique names`)
  return columns
}

const column =
  (isKey: boolean) =>
  (entry: string): ModelColumn => {
    const parts = /^([a-z_][a-z0-9_]*)(\?)?(?:\s+(.+))?$/s.exec(entry)
    if (parts === null) throw new Error(`column "${entry}": invalid; expected a name, then optionally ? and a type`)
    const [, name = '', optional, sql] = parts
    return { name, sql: sql ?? typeOf(name), isNullable: optional !== undefined, isKey }
  }

/** Splits at commas outside parentheses. */
function entries(list: string): string[] {
  const parts: string[] = []
  let depth = 0
  let entry = ''
  for (const letter of list) {
    if (letter === '(') depth++
    if (letter === ')') depth--
    if (letter === ',' && depth === 0) {
      parts.push(entry)
      entry = ''
    } else entry += letter
  }
  return [...parts, entry].map((text) => text.trim()).filter((text) => text !== '')
}
