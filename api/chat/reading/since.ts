import { monthForm, months, numberOfWord, weekdayForms, weekdays } from './periods.ts'

/** `march 1`, `27 of feb`, `nov 20, 2025`. Without a day a month may be another word: `what may have changed`. */
const dayOfMonth = new RegExp(
  `\\b(?:(${monthForm}) (\\d{1,2})(?:st|nd|rd|th)?|(\\d{1,2})(?:st|nd|rd|th)? (?:of )?(${monthForm}))\\b(?:,? (20\\d\\d)\\b)?`,
)
const day_ms = 86_400_000

/** The instant after which a question asks, in UTC; null if it names none. A text in lower case. */
export function sinceOf(text: string, now_ms: number): Date | null {
  return instantOf(text) ?? calendarDay(text, now_ms) ?? clockTime(text, now_ms) ?? backFrom(text, now_ms)
}

/** `2026-02-27`, `2026-02-27T10:00:00Z`, `2026-02-27 10:00`. */
function instantOf(text: string): Date | null {
  const match = /\b(\d{4}-\d{2}-\d{2})(?:[t ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s?(z|utc|[+-]\d{2}:\d{2})?)?/.exec(text)
  if (!match) return null
  const [whole, day = '', time, zone = 'z'] = match
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  if (!isDay(year, month - 1, date)) return null
  if (time === undefined) {
    const ofDay = timeOfDay(text.slice(match.index + whole.length))
    return new Date(Date.UTC(year, month - 1, date) + (ofDay ?? 0))
  }
  const at = new Date(`${day}T${time}${zone === 'utc' ? 'Z' : zone.toUpperCase()}`)
  return Number.isNaN(at.getTime()) ? null : at
}

/** Whether a month, from 0 on, has a day. */
const isDay = (year: number, month: number, day: number): boolean => {
  const date = new Date(Date.UTC(year, month, day))
  return date.getUTCMonth() === month && date.getUTCDate() === day
}

/** `since friday`, `today`, `since yesterday`, `since march 1`, `since 27 feb`, each from its midnight or its time. */
function calendarDay(text: string, now_ms: number): Date | null {
  const midnight_ms = Math.floor(now_ms / day_ms) * day_ms
  const time_ms = timeOfDay(text) ?? 0
  const weekday = weekdays.findIndex((name, n) =>
    new RegExp(`\\b(since|from|after|on) (last )?(${name}|${weekdayForms[n]})\\b`).test(text),
  )
  if (weekday >= 0) {
    const back = (new Date(now_ms).getUTCDay() - weekday + 7) % 7 || 7
    return new Date(midnight_ms - back * day_ms + time_ms)
  }
  if (/\byesterday\b/.test(text)) return new Date(midnight_ms - day_ms + time_ms)
  const match = dayOfMonth.exec(text)
  if (match) {
    const month = months.findIndex((name) => name.startsWith((match[1] ?? match[4] ?? '').slice(0, 3)))
    const day = Number(match[2] ?? match[3])
    const thisYear = new Date(now_ms).getUTCFullYear()
    const isToCome = Date.UTC(thisYear, month, day) + time_ms > now_ms
    const year = match[5] === undefined ? thisYear - Number(isToCome) : Number(match[5])
    return isDay(year, month, day) ? new Date(Date.UTC(year, month, day) + time_ms) : null
  }
  if (/\b(today|this morning|since midnight|so far today)\b/.test(text)) return new Date(midnight_ms + time_ms)
  return null
}

/** `since 10am`, `after 9:30`: of today, or of yesterday if that is still to come. */
function clockTime(text: string, now_ms: number): Date | null {
  const time_ms = /\b(since|after|from)\b/.test(text) ? timeOfDay(text) : null
  if (time_ms === null) return null
  const at_ms = Math.floor(now_ms / day_ms) * day_ms + time_ms
  return new Date(at_ms > now_ms ? at_ms - day_ms : at_ms)
}

/** The time of day of a text in milliseconds; null without one. */
function timeOfDay(text: string): number | null {
  if (/\bnoon\b/.test(text)) return day_ms / 2
  const match = /\b(\d{1,2})(?::(\d{2}))? ?(am|pm)\b|\b(\d{1,2}):(\d{2})\b/.exec(text)
  if (!match) return null
  const hour = Number(match[1] ?? match[4])
  const minute = Number(match[2] ?? match[5] ?? 0)
  const ofDay = match[3] === undefined ? hour : (hour % 12) + (match[3] === 'pm' ? 12 : 0)
  return ofDay < 24 && minute < 60 ? (ofDay * 60 + minute) * 60_000 : null
}

const units = {
  minute: 60_000,
  min: 60_000,
  hour: 3_600_000,
  hr: 3_600_000,
  day: day_ms,
  week: 7 * day_ms,
  fortnight: 14 * day_ms,
  month: 30 * day_ms,
  quarter: 90 * day_ms,
  year: 365 * day_ms,
}
const span =
  /\b(?:last|past|previous|this|in|within|over|during|of)(?: the)?(?: last| past)? (?:(\d{1,4}(?:\.\d{1,2})?|[a-z]+) (?:of )?)?(minute|min|hour|hr|day|week|fortnight|month|quarter|year)s?\b/

const briefUnits = { m: 60_000, h: 3_600_000, d: day_ms, w: 7 * day_ms }
/** A number with an `m` of nothing past is one of millions. */
const brief = /(?<![\d.])\b(\d{1,3}(?:\.\d{1,2})?) ?(h|d|w|(?<=\b(?:last|past|previous) [\d.]+ ?)m)\b/

/** `in the last hour`, `past 24 hours`, `past 15m`, `this week`, `24h`, `1.5 hours ago`. */
function backFrom(text: string, now_ms: number): Date | null {
  const short = brief.exec(text)
  if (short) return new Date(now_ms - Number(short[1]) * briefUnits[short[2] as keyof typeof briefUnits])
  const match =
    span.exec(text) ??
    /(?<![\d.])\b(\d{1,4}(?:\.\d{1,2})?|an?|[a-z]+) (minute|min|hour|hr|day|week|month|quarter|year)s? (?:ago|back)\b/.exec(
      text,
    )
  if (!match) return null
  const n = match[1] === undefined ? 1 : /^\d/.test(match[1]) ? Number(match[1]) : (numberOfWord(match[1]) ?? 1)
  const many = match[1] === 'few' ? 3 : match[1] === 'couple' ? 2 : n
  // The years of an instant in ISO 8601 have four digits.
  return new Date(Math.max(0, now_ms - many * units[match[2] as keyof typeof units]))
}
