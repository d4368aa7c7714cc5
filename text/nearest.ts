const most = 3

/**
 * The three names that differ least from a value, by the letters to add, drop or replace, without regard to case. Of
 * a longer name only the begin may be written.
 */
export function nearest(value: string, names: readonly string[]): string[] {
  const asked = value.toLowerCase()
  const distance = (name: string): number =>
    Math.min(edits(asked, name), edits(asked, name.slice(0, asked.length)) + 0.5)
  return names
    .map((name, n) => ({ name, n, edits: distance(name.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits || a.n - b.n)
    .slice(0, most)
    .map(({ name }) => name)
}

/** The Levenshtein distance of two texts. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
