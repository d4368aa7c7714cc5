/** Finds a way to say something in a text in lower case. */
export type Says = (text: string) => boolean

/** An alternative of the words and phrases of a table, separated by commas or lines. Each is a part of a pattern. */
export const oneOf = (table: string): string =>
  `(?:${table
    .split(/[,\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '')
    .join('|')})`

/** Whether a text has one of the words or phrases of a table, as they are written. */
export const saysWords = (...tables: readonly string[]): Says => {
  const pattern = new RegExp(String.raw`\b${oneOf(tables.join(','))}\b`)
  return (text) => pattern.test(text)
}

/** Whether one of some patterns fits a text. */
export const saysAny = (...patterns: readonly (RegExp | Says)[]): Says => {
  return (text) => patterns.some((pattern) => (pattern instanceof RegExp ? pattern.test(text) : pattern(text)))
}
