import { stringify } from 'csv-stringify/sync'

/**
 * Rows as CSV with a header line. A text cell that a spreadsheet would run as a formula gets a leading `'`; numbers
 * stay numbers, the negative ones too.
 */
export const toCsv = (columns: string[], rows: Record<string, unknown>[]): string =>
  stringify(rows, {
    columns,
    header: true,
    record_delimiter: 'windows',
    cast: { string: (text, { header }) => (!header && /^[=+\-@]/.test(text) ? `'${text}` : text) },
  })
