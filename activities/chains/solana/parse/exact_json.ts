/** An integer of 16 digits or more, which a double may not hold, after the start of a value. */
const mayHoldLarge = /(?:^|[:,[])\s*-?\d{16,}/
/** Texts, so that digits inside them stay, and large integers. */
const textOrLarge = /"(?:[^"\\]|\\.)*"|(?<=^|[:,[\s])-?\d{16,}(?![\d.eE])/g

/**
 * Parses JSON whose integers have up to 64 bits. An integer of 16 digits or more becomes its text, so `BigInt` reads every
 * amount exactly. Almost all answers have none, and cost one search.
 */
export function parseExactJson(text: string): unknown {
  if (!mayHoldLarge.test(text)) return JSON.parse(text)
  return JSON.parse(text.replaceAll(textOrLarge, (found) => (found.startsWith('"') ? found : `"${found}"`)))
}

/** An integer of {@link parseExactJson}: a safe number, or the text of a larger one. */
export type ExactInteger = number | string

/** Whether a value is an integer as {@link parseExactJson} gives it. */
export const isExactInteger = (value: unknown): value is ExactInteger =>
  typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'string' && /^-?\d+$/.test(value)
