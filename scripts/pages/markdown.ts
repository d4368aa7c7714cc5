/** The notice that a page is rendered, and from which files. */
export const generated = (from: string): string =>
  `<!-- Rendered from ${from} by \`npm run docs\`: edit there, not here. -->`

/** Joins blocks with an empty line between; an empty block is omitted. */
export const page = (...blocks: string[]): string => `${blocks.filter((block) => block !== '').join('\n\n')}\n`

/** A table with its columns padded, as the formatter leaves them. */
export function table(head: string[], rows: string[][]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')))
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  const [first = [], ...rest] = cells
  return [line(first), rule, ...rest.map(line)].join('\n')
}

export type Described = { name: string; sql: string; isNullable: boolean; isKey: boolean }

/** Columns in the notation of the models' headers, with every type written out: `key; rest`, `?` may be null. */
export function notation(columns: readonly Described[]): string {
  const part = (isKey: boolean): string =>
    columns
      .filter((column) => column.isKey === isKey)
      .map(({ name, isNullable, sql }) => `${name}${isNullable ? '?' : ''} ${sql}`)
      .join(', ')
  return ['```', ...wrap(`${part(true)}; ${part(false)}`), '```'].join('\n')
}

/** Puts a text between the marks of a handwritten page. Throws if the page lacks them. */
export function fill(handwritten: string, name: string, text: string): string {
  const marks = new RegExp(`(<!-- ${name}: .* -->\\n)[^]*(\\n<!-- /${name} -->)`)
  if (!marks.test(handwritten)) throw new Error(`marks of ${name}: missing; expected <!-- ${name}: … --> and its end`)
  return handwritten.replace(marks, (_, begin: string, end: string) => `${begin}\n${text}\n${end}`)
}

/** Breaks a line at spaces after a comma or semicolon, at 110 characters if possible. */
export function wrap(text: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const piece of text.split(/(?<=[,;]) /)) {
    if (line !== '' && line.length + 1 + piece.length > 110) {
      lines.push(line)
      line = piece
    } else line = line === '' ? piece : `${line} ${piece}`
  }
  return [...lines, line]
}
