import { z } from 'zod'

/**
 * The values of `lake.coverage.reason_code`, the gravest last: why a unit is not complete. Code decides by the code; the
 * sentence `reason` beside it is for people, and its words may change.
 */
export const reasonCodes = {
  unparsed: 'Rows did not parse, and nothing else is missing',
  growing: 'The upstream adds rows after the end of the unit',
  provisional: 'The source that seals the hour of a stream does not have it yet',
  silent: 'The same, and no message comes',
  clock: 'The clocks of the machine and of the upstream differ by more than ten minutes',
  incomplete: 'The upstream may not have shown all rows',
  budget: 'The budget of an account is spent, and its older rows are not read',
  unproved: 'No proof shows that the upstream showed all rows',
  gap: 'Messages of a stream are missing',
  contradicted: 'The rows of another source differ',
  refused: 'A later reading lacks stored rows or values without a proof; the stored rows stay',
  unavailable: 'The upstream does not have the unit',
  failed: 'The reading failed',
  lost: 'A data file of the unit was lost',
  expired: 'The rows were dropped by retention',
} as const

export type ReasonCode = keyof typeof reasonCodes

const ranks = Object.keys(reasonCodes) as [ReasonCode, ...ReasonCode[]]

/** The graver one of two codes. */
export const graver = (a: ReasonCode, b: ReasonCode | undefined): ReasonCode =>
  b !== undefined && ranks.indexOf(b) > ranks.indexOf(a) ? b : a

export const reasonCodeShape = z.enum(ranks)

const gapsShape = z.array(
  z.object({ text: z.string(), subject: z.string().exactOptional(), to: z.number().exactOptional() }),
)

/**
 * A part that a reading lacks, from which later readings go on: what is missing of it (`subject`), and its exclusive end
 * (`to`, an instant). Both may be unknown.
 */
export type Gap = z.output<typeof gapsShape>[number]

/** The gaps of a coverage entry, by their JSON. */
export const gapsIn = (json: string | null): Gap[] => (json === null ? [] : gapsShape.parse(JSON.parse(json)))
