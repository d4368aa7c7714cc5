import { z } from 'zod'

import { addressExample, addressForm, parseAddress } from './address.ts'
import { ApiError } from './errors.ts'

/**
 * The kinds of query parameters. Each reads one string; the message of its error is what it accepts, for the sentence
 * of a 400 and for the documentation alike.
 */
export type Parameters = Record<string, z.ZodType>

const reading = (accepted: string) => ({ error: accepted })

/** One word of a few; the default counts when it is not given. */
export const choice = <const T extends readonly [string, ...string[]]>(values: T, preset: T[number], about: string) =>
  z
    .enum(values, reading(`one of ${values.join(', ')}`))
    .meta({ description: about })
    .default(preset as z.util.NoUndefined<T[number]>)

const limit = z
  .string()
  .regex(/^0*([1-9]\d{0,2}|1000)$/, reading('a whole number from 1 to 1000, digits only'))
  .transform(Number)
  .meta({
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    description: 'Items a page. Without it the whole list is meant, in pages of 1,000.',
  })

const cursor = z
  .string()
  .regex(/^[\w-]{1,1000}$/, reading('what the Link header of the page before gave for this query'))
  .meta({ description: 'Where the next page begins; the `Link` header of a page gives the URL that holds it.' })

/** What every list takes besides its own parameters. */
export const paging = { limit: limit.optional(), cursor: cursor.optional() }

/** An EVM or Solana address, required. */
export const address = (about: string) =>
  z
    .string(reading(addressForm))
    .transform((text, context) => {
      const parsed = parseAddress(text)
      if (!parsed) context.addIssue({ code: 'custom', message: addressForm })
      return parsed ?? z.NEVER
    })
    .meta({
      type: 'string',
      // What a pattern can say; the checksum and the 32 bytes it cannot.
      pattern: '^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$',
      description: `${about}: ${addressForm}.`,
      example: addressExample,
    })

/**
 * Reads a query string strictly: every parameter is known, given once, not empty and well-formed. Throws a 400 that
 * names the first that is not, what is wrong with it and what is accepted.
 */
export const parseQuery = <P extends Parameters>(parameters: P, search: string): { [K in keyof P]: z.output<P[K]> } => {
  const given: Record<string, string> = Object.create(null)
  const known = Object.keys(parameters)
  for (const [name, value] of new URLSearchParams(search)) {
    if (!known.includes(name)) {
      throw refusal(`${shown(name)} is no parameter here`, known.join(', ') || 'no parameter at all')
    }
    if (Object.hasOwn(given, name)) throw refusal(`${name} is given more than once`, 'once')
    given[name] = value
  }
  const values: Record<string, unknown> = {}
  for (const name of known) {
    const read = parameters[name]?.safeParse(given[name])
    if (read?.success) values[name] = read.data
    else throw refusal(`${name} ${faultOf(given[name])}`, read?.error.issues[0]?.message ?? '')
  }
  return values as { [K in keyof P]: z.output<P[K]> }
}

const refusal = (fault: string, accepted: string) => new ApiError('invalid_request', `${fault}; accepted: ${accepted}.`)

const faultOf = (value: string | undefined): string => {
  if (value === undefined) return 'is missing'
  return value === '' ? 'is empty' : `cannot be ${shown(value)}`
}

/** As JSON, cut short: the caller's own text comes back in an error, and it may be anything. */
const shown = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
