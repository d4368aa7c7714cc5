/** A period of a question: days back from now, or all time. */
export type Period = number | 'all'

const ones =
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
  eighteen nineteen`.split(/\s+/)
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const days = { minute: 1 / 1440, hour: 1 / 24, day: 1, week: 7, month: 30, quarter: 90, year: 365 } as const

/** The number of a digit or word; null if it is neither. */
export const numberOfWord = (word: string): number | null => {
  if (/^\d{1,4}$/.test(word)) return Number(word)
  const [ten = '', unit] = word.split(/[ -]/)
  if (tens.includes(ten)) return (tens.indexOf(ten) + 2) * 10 + (unit === undefined ? 0 : ones.indexOf(unit))
  const n = ones.indexOf(word)
  return n < 1 ? null : n
}

/** A number in words or digits, as a part of a pattern. */
export const numberWords = `(?:${tens.join('|')})(?:[ -](?:${ones.slice(1, 10).join('|')}))?|${ones.slice(1).join('|')}`
/** Whole digits with their decimals. The digits after a point or comma would be another number: `0.7 days`. */
const numeral = (whole: string): string => `(?<!\\d)(?<!\\d[.,])(?:${whole})?(?:\\.\\d+)?(?<=\\d)`
const count = `(${numeral('\\d{1,3}(?:,\\d{3})+|\\d+')}|\\b(?:${numberWords}|a|an|few|couple(?: of)?))`
const counted = new RegExp(`(?:${count}[ -]?|\\b)(minute|min|hour|hr|day|week|month|quarter|year)s?\\b`, 'g')
const short = new RegExp(`(?<!\\w)(${numeral('\\d{1,3}')})\\s?(d|h|w|m|mo|y)\\b`)

/** The period that a question names; null if it names none. */
export function periodOf(question: string): Period | null {
  const text = question.replaceAll(/\b(?:these|those) days\b|\bof the day\b/g, ' ')
  if (
    /\b(range all|all[- ]?time|ever|lifetime|career|historically|(?<!(?:up|year|month|week)[- ])to date|since (?:day one|forever)|of all times?|(?:all|full|whole|entire) history|since always|from the (?:start|beginning)|overall|in history|since (the )?(beginning|start|inception)(?! of (?:the |this )?(?:year|month|week|quarter)))\b/.test(
      text,
    )
  )
    return 'all'
  const bare = /\b(?:last|past|trailing|previous) (7|30|90)\b(?!\W*[a-z])/.exec(text)
  if (bare) return Number(bare[1])
  const brief = short.exec(text)
  if (brief) return decimalOf(brief[1] ?? '') * shortDays(brief[2] ?? 'd')
  for (const [, many, unit = 'day'] of text.matchAll(counted)) {
    // `a day` of `traded a day` and `day` of `opening day` are no periods, but `this month` and `7 days` are.
    const name = unit.replace(/^min$/, 'minute').replace(/^hr$/, 'hour') as keyof typeof days
    return amountOf(many) * days[name]
  }
  if (/\bfortnight\w*\b/.test(text)) return 14
  if (/\bytd\b/.test(text)) return 365
  if (sinceDay.test(text) || sinceDate.test(text)) return aFewDays
  if (sinceYear.test(text)) return 365
  if (/\b(weekly|this wk|past wk|last wk)\b/.test(text)) return 7
  if (/\bmonthly\b/.test(text)) return 30
  if (/\bquarterly\b/.test(text)) return 90
  if (/\b(today|daily|tonight|yesterday)\b/.test(text)) return 1
  return null
}

/** Since a certain day: no range has these days. */
const aFewDays = 3

export const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
export const weekdayForms = ['sun', 'mon', 'tues?', 'weds?', 'thu(?:rs?)?', 'fri', 'sat']
export const months = 'january february march april may june july august september october november december'.split(' ')
/** `november`, `nov`, `sept`. A longer word is no month: `augur`, `decentraland`. */
export const monthForm = `(?:${months.join('|')}|${months.map((name) => name.slice(0, 3)).join('|')}|sept)`

const sinceDay = new RegExp(
  `\\b(?:since|in|during|for|throughout) (?:early |mid |late |last )?(?:${[...weekdays, ...months].join('|')})\\b`,
)
const dates = `\\d{4}-\\d\\d-\\d\\d|${monthForm} \\d{1,2}(?:st|nd|rd|th)?|\\d{1,2}(?:st|nd|rd|th)? (?:of )?${monthForm}`
const times = '\\d{1,2}(?::\\d\\d)? ?[ap]m|\\d{1,2}:\\d\\d|noon|midnight|last night'
/** `since nov 20`, `since 9am`, `since thurs`. */
const sinceDate = new RegExp(
  `\\bsince (?:last )?(?:${dates}|\\d{1,2}/\\d{1,2}(?:/\\d{2,4})?|${times}|${weekdayForms.join('|')})\\b`,
)
/** Whether a text is about one day: `on nov 20`. In a question of markets it is a part of a title. */
export const isOnDay = (text: string): boolean => onDay.test(text)
const onDay = new RegExp(`\\bon (?:${dates})\\b`)

/** `since 2023`: years back. A year of a title is no period: `recession in 2026`. */
const sinceYear = /\b(?:since|from|throughout|during) (?:early |mid |late )?20\d\d(?![-\d])/

const shortDays = (unit: string): number => ({ d: 1, h: 1 / 24, w: 7, m: 30, mo: 30, y: 365 })[unit] ?? 1

const amountOf = (many: string | undefined): number => {
  if (many === undefined || many === 'a' || many === 'an') return 1
  if (many === 'few') return 3
  if (/\d/.test(many)) return decimalOf(many)
  return many.startsWith('couple') ? 2 : (numberOfWord(many) ?? 1)
}

const decimalOf = (many: string): number => Number(many.replaceAll(',', ''))

/** The range that holds a period, among ranges by their days; undefined for a period that is none of them. */
export function rangeOf<R extends string>(
  period: Period | null,
  ranges: Readonly<Record<R, Period>>,
): R | null | undefined {
  if (period === null) return null
  const range = (Object.entries(ranges) as [R, Period][]).find(([, candidate]) => isSame(candidate, period))
  return range?.[0]
}

/** 28 to 31 days are a month, 84 to 92 a quarter. */
const isSame = (range: Period, period: Period): boolean =>
  range === 'all' || period === 'all' ? range === period : Math.abs(range - period) <= range / 15
