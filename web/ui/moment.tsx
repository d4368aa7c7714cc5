/** An instant in the time zone of the browser. */
export function Moment({ at, format = 'full' }: { at: string; format?: Format }) {
  return <time dateTime={at}>{momentText(at, format)}</time>
}

type Format = keyof typeof formats

const formats = {
  full: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
  time: new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }),
  // The steps of usage begin with days in UTC.
  day: new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' }),
}

/** The text of an instant. */
export const momentText = (at: string, format: Format): string => formats[format].format(new Date(at))

/** A number with separators of thousands. */
export const count = (n: number): string => n.toLocaleString()

/** A number with its noun, which gets an s unless the number is one. */
export const counted = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? '' : 's'}`
