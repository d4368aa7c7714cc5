/** `2026-03-19 23:20:15+00`, the form of some fields. */
export const spaced = (at_s: number): string =>
  `${new Date(at_s * 1000).toISOString().slice(0, 19).replace('T', ' ')}+00`

/** A list inside a string, with the venue's space after the comma. */
export const textList = (items: readonly string[]): string =>
  `[${items.map((item) => JSON.stringify(item)).join(', ')}]`
