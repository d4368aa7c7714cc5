import type { Micros } from '#time.ts'

/** The command line is invalid. The exit code is 2, and the usage is shown. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** ^C ended the command before its work was done. The exit code is that of a shell. */
export class Interrupted extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Interrupted'
  }
}

const instantForm = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** Parses the value of an option: `2026-01-31` (its first instant), or a full ISO 8601 instant with a zone. */
export const instantOf =
  (option: string) =>
  (text: string): Micros => {
    const [, year, month, day, , , fraction = ''] = instantForm.exec(text) ?? []
    const at_ms = day === undefined ? Number.NaN : Date.parse(text)
    // JavaScript reads the 31st of February as the 3rd of March.
    const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
    if (Number.isNaN(at_ms) || !isDay) {
      throw new UsageError(`${option} ${text}: not an instant; expected UTC such as 2026-01-31 or 2026-01-31T12:00:00Z`)
    }
    // JavaScript reads milliseconds; the digits after them are added here.
    return at_ms * 1000 + Number(fraction.slice(4).padEnd(3, '0'))
  }

/** Parses the value of an option or argument: a whole number within bounds. */
export const numberOf =
  (option: string, { least, most }: { least: number; most: number }) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) {
      throw new UsageError(`${option} ${text}: not in range; expected a whole number from ${least} to ${most}`)
    }
    return value
  }

/** Parses the value of `--port`; 0 takes any free port. */
export const portOf = numberOf('--port', { least: 0, most: 65_535 })
