/** An instant in the time zone of the browser. */
export function Moment({ at, format = 'full' }: { at: string; format?: Format }) {
  return <time dateTime={at}>{momentText(at, format)}</time>
}

/** The time from an instant to the instant of the figures, such as 3 h ago. */
export function Ago({ at, asOf }: { at: string; asOf: string | null }) {
  return (
    <time dateTime={at} title={momentText(at, 'full')}>
      {asOf === null ? momentText(at, 'full') : agoText(at, asOf)}
    </time>
  )
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const

const agoText = (at: string, asOf: string): string => {
  const passed_s = (Date.parse(asOf) - Date.parse(at)) / 1_000
  const unit = units.find(([, s]) => passed_s >= s)
  return unit === undefined ? 'now' : `${Math.floor(passed_s / unit[1])} ${unit[0]} ago`
}

type Format = keyof typeof formats

const formats = {
  full: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
  time: new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }),
  date: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }),
  shortDay: new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' }),
  // The steps of usage begin with days in UTC.
  day: new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' }),
}

/** The text of an instant. */
export const momentText = (at: string, format: Format): string => formats[format].format(new Date(at))

/** A number with separators of thousands. */
export const count = (n: number): string => n.toLocaleString()

/** A number with its noun, which gets an s unless the number is one. */
export const counted = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? '' : 's'}`
