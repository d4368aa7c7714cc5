import { parseArgs, type ParseArgsConfig } from 'node:util'

import type { Config } from '#config.ts'
import type { Micros } from '#time.ts'

/** A command of `tapeline`. `run` returns the exit code. */
export type Command = {
  usage: string
  doc: string
  run: (args: string[], config: Config) => Promise<number>
}

/** A command line that was not understood; the usage is shown after it. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

type Options = NonNullable<ParseArgsConfig['options']>

/** Splits a command line into options and as many names as wanted; anything else is a {@link UsageError}. */
export function readArgs(
  args: string[],
  options: Options,
  names: readonly string[] = [],
): { values: Record<string, string | boolean | undefined>; positionals: string[] } {
  let parsed
  try {
    parsed = parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    const [reason = ''] = error instanceof Error ? error.message.split('. ') : [String(error)]
    const known = Object.keys(options).map((name) => `--${name}`)
    throw new UsageError(
      `${reason}; ${known.length === 0 ? 'there are no options' : `options are ${known.join(', ')}`}`,
    )
  }
  const { positionals } = parsed
  if (positionals.length !== names.length) {
    const wanted = names.length === 0 ? 'no name' : names.map((name) => `<${name}>`).join(' ')
    throw new UsageError(`expected ${wanted}, got ${positionals.length === 0 ? 'none' : positionals.join(' ')}`)
  }
  return { values: { ...parsed.values } as Record<string, string | boolean | undefined>, positionals }
}

const instantForm = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** `2026-01-31` (its first instant) or a full ISO 8601 instant with a zone. */
export function readInstant(option: string, text: string): Micros {
  const [, year, month, day, , , fraction = ''] = instantForm.exec(text) ?? []
  const at_ms = day === undefined ? Number.NaN : Date.parse(text)
  // JavaScript takes the 31st of February for the 3rd of March.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
  if (Number.isNaN(at_ms) || !isDay) {
    throw new UsageError(`--${option} ${text}: expected an instant in UTC such as 2026-01-31 or 2026-01-31T12:00:00Z`)
  }
  // JavaScript reads milliseconds; the digits after them are ours.
  return at_ms * 1000 + Number(fraction.slice(4).padEnd(3, '0'))
}

/** A whole number within bounds. */
export function readNumber(option: string, text: string, { least, most }: { least: number; most: number }): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= most)) {
    throw new UsageError(`--${option} ${text}: expected a whole number from ${least} to ${most}`)
  }
  return value
}

/** The value of an option that takes one. */
export const textOf = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined
