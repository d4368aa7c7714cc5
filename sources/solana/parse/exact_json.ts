/**
 * As many digits after the characters that may precede a value. The engine finds a run of digits faster than the start
 * of a value, and addresses of programs hold such runs too.
 */
const mayHoldDigits = /[:,[\s-](?:9|\d\d)\d{15}|^\d{16}/
/** An integer at the start of a value from 9 x 10^15 on: a double holds those below 9,007,199,254,740,992. */
const mayHoldLarge = /(?:^|[:,[])\s*-?(?:9\d{15}|\d{17})/
/** Texts, so that digits inside them stay, and large integers. */
const textOrLarge = /"(?:[^"\\]|\\.)*"|(?<=^|[:,[\s])-?(?:9\d{15}|\d{17,})(?![\d.eE])/g

/**
 * Parses JSON whose integers have up to 64 bits. An integer from 9 x 10^15 on becomes its text, so `BigInt` reads every
 * amount exactly. Almost all answers have none, and cost one search.
 */
export function parseExactJson(text: string): unknown {
  if (!mayHoldDigits.test(text) || !mayHoldLarge.test(text)) return JSON.parse(text)
  return JSON.parse(text.replaceAll(textOrLarge, (match) => (match.startsWith('"') ? match : `"${match}"`)))
}

/** An integer of {@link parseExactJson}: a safe number, or the text of a larger one. */
export type ExactInteger = number | string

/** Whether a value is an integer as {@link parseExactJson} gives it. */
export const isExactInteger = (value: unknown): value is ExactInteger =>
  typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'string' && /^-?\d+$/.test(value)
