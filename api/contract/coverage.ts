import { mostPerDay, type Requested } from '#accounts/request_buffer.ts'

/** The header that states how complete the figures of a profile are. */
export type Coverage = [name: 'X-Coverage', value: string]

/** All of the history is known. */
export const complete: Coverage = ['X-Coverage', 'complete']

/** The history was never read; a read of it is requested. */
export const pending: Coverage = ['X-Coverage', 'pending']

/** Part of the figures is missing or unknown, for reasons as text; complete without any. */
export const partial = (...reasons: readonly string[]): Coverage =>
  reasons.length === 0 ? complete : ['X-Coverage', `partial; reason="${quotable(reasons.join('; '))}"`]

/** The same of a history that is known since an instant; null: all of it, or since an unknown one. */
export const partialSince = (since: string | null, ...reasons: readonly string[]): Coverage => {
  const [name, value] = partial(...reasons)
  return [
    name,
    since === null || reasons.length === 0 ? value : value.replace('partial;', `partial; since="${since}";`),
  ]
}

/** The value of a quoted string: printable ASCII. */
const quotable = (text: string): string => text.replaceAll(/[^ -~]/g, '?').replaceAll(/["\\]/g, String.raw`\$&`)

/** The description of the header: the meaning of `partial`, and of further values. */
export const coverageHeader = (ofPartial: string, ...further: readonly string[]): Record<Coverage[0], string> => ({
  'X-Coverage': ['`complete`', `\`partial; reason="…"\`: ${ofPartial}`, ...further].join('; '),
})

/** The reason why the request to read an address was refused; null if it was not. */
export function whyRefused(requested: Requested): string | null {
  if (requested === 'full') return 'not read yet, and too many addresses are requested now'
  if (requested !== 'spent') return null
  return `not read yet, and this account has requested its ${mostPerDay} addresses of the day`
}
