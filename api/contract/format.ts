import { stringify } from 'csv-stringify/sync'
import Negotiator from 'negotiator'

import type { Endpoint } from './endpoint.ts'
import { ApiError } from './errors.ts'

export type Format = 'application/json' | 'text/csv'

/**
 * Chooses the format of a response by `Accept`: arrays are JSON or CSV, objects are JSON. An empty `Accept` is any
 * type. Throws a 406.
 */
export function negotiate({ isArray }: Pick<Endpoint, 'isArray'>, accept: string | undefined): Format {
  const formats: Format[] = isArray ? ['application/json', 'text/csv'] : ['application/json']
  const format = new Negotiator({ headers: { accept: withoutParameters(accept) } }).mediaType(formats)
  if (format) return format as Format
  throw new ApiError('not_acceptable', `Accept: no served type is allowed; expected ${formats.join(' or ')}.`)
}

/** Parameters of a type, such as a charset or a version, choose among forms that each type has only one of. */
const withoutParameters = (accept: string | undefined): string | undefined => {
  if (accept === undefined || accept.trim() === '') return undefined
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';')
    return [type, ...parameters.filter((parameter) => /^\s*q\s*=/i.test(parameter))].join(';')
  })
  return ranges.join()
}

/** The headers of a body's format. A CSV has a file name, for browsers and `curl -OJ`. */
export const contentOf = (format: Format, { path }: Pick<Endpoint, 'path'>): [name: string, value: string][] => [
  ['Content-Type', `${format}; charset=utf-8`],
  ...(format === 'text/csv'
    ? [['Content-Disposition', `attachment; filename="tapeline-${path.slice(1)}.csv"`] satisfies [string, string]]
    : []),
]

/** The bytes of a response body. */
export const serialize = (format: Format, { item }: Pick<Endpoint, 'item'>, body: object): Buffer =>
  Buffer.from(
    format === 'text/csv' ? toCsv(Object.keys(item.shape), body as Record<string, unknown>[]) : JSON.stringify(body),
  )

/**
 * Rows as CSV of RFC 4180 with a header line. A text cell that a spreadsheet would run as a formula, or that begins
 * with a control character which a spreadsheet drops, gets a leading `'`. Numbers stay unchanged, also negative ones.
 */
export const toCsv = (columns: string[], rows: Record<string, unknown>[]): string =>
  stringify(rows, {
    columns,
    header: true,
    record_delimiter: 'windows',
    // By itself the library quotes the line break of the file alone, and not a lone CR or LF.
    quoted_match: /[\r\n]/,
    cast: {
      string: (text, { header }) => (!header && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text),
      // By itself the library writes true as 1 and false as an empty cell, which is no value.
      boolean: String,
    },
  })
