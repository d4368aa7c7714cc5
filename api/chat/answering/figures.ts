/** The unit of a figure: `share` is 0-1 and shown in percent, `percent` is 0-100, `amount` counts whole units. */
export type Unit = 'usd' | 'share' | 'percent' | 'points' | 'count' | 'amount'

/** A number of a reader, with its name and unit. */
export type Figure = { name: string; value: number; unit: Unit }

/** A figure as text: `volume 24h $48,210.57`. */
export const showFigure = ({ name, value, unit }: Figure): string => `${name} ${show[unit](value)}`

const grouped = (value: number, least: number, most: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: least, maximumFractionDigits: most })

/** A number that rounds to zero has no sign. */
const rounded = (value: number, digits: number): string => grouped(Number(value.toFixed(digits)) + 0, digits, digits)

const show: Record<Unit, (value: number) => string> = {
  usd: (value) => rounded(value, 2).replace(/^-?/, '$&$$'),
  share: (value) => `${rounded(value * 100, 2)} %`,
  percent: (value) => `${rounded(value, 2)} %`,
  points: (value) => `${Number(value.toFixed(2)) > 0 ? '+' : ''}${rounded(value, 2)} points`,
  count: (value) => grouped(value, 0, 0),
  amount: (value) => grouped(value, 0, 6),
}

const number = /\d(?:[\d,]*\d)?(?:\.\d+)?/g

/** The numbers of a text, without signs and separators. */
export const numbersOf = (text: string): string[] =>
  [...text.matchAll(number)].map(([digits]) => digits.replaceAll(',', ''))

/**
 * Throws if a text states a number that none of the given texts states. The given texts are the facts as they are
 * shown, so a number of the text is rounded as a fact is.
 */
export function assertStated(text: string, facts: readonly string[]): void {
  const stated = new Set(facts.flatMap(numbersOf))
  const unknown = numbersOf(text).find((numeral) => !stated.has(numeral))
  if (unknown !== undefined) throw new Error(`answer: states ${unknown}; expected numbers of the facts`)
}
