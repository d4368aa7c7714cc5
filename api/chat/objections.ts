import { anonymousVenues } from '#registry/venues/index.ts'

import type { Plan } from './intent.ts'
import type { Missing } from './missing.ts'
import { chainOf } from './reading/chains.ts'
import { mayMeanAttention } from './reading/concepts/attention.ts'
import { concept } from './reading/concepts/concept.ts'
import { isOnDay, months, rangeOf } from './reading/periods.ts'
import {
  asksForPeople,
  asksForSum,
  asksForWinner,
  isOverAll,
  namesCategory,
  saysResults,
} from './reading/phrases/not_held.ts'
import { saysAny, saysWords } from './reading/phrases/phrases.ts'
import { pointedAt } from './reading/phrases/pointing.ts'
import type { Reading } from './reading/reading.ts'

/** The reason why a plan does not answer its question: a slot is missing, or the tables do not hold the figures. */
type Objection = { intent: 'clarify'; missing: Missing } | { intent: 'refuse'; reason: 'unsupported' }

const lacks = (missing: Missing): Objection => ({ intent: 'clarify', missing })
const notHeld: Objection = { intent: 'refuse', reason: 'unsupported' }

/**
 * Compares a plan with its question. True figures of another window, venue or kind are a wrong answer. A question that
 * names one without a slot in the plan is therefore refused, for any words that chose the plan.
 */
export function objectionTo({ intent, slots }: Plan, reading: Reading): Objection | null {
  // `the mean of all` defines nothing.
  if (intent === 'define') return asksForSum(reading.plain) && isOverAll(reading.plain) ? notHeld : null
  if (isUnread.has(intent)) return null
  if (reading.unknownAddress !== null) return lacks('address')
  const isList = !entitySlots.some((name) => name in slots)
  // `show me the odds on it`: a list is no answer.
  const thing =
    isList && (isOfAll.has(intent) || intent === 'refuse') && namesNothing(reading) ? pointedAt(reading) : null
  if (thing !== null) return lacks(thing)
  const dataset = 'of' in slots ? String(slots.of) : intent
  const range = intent === 'pm_wallet' && 'range' in slots ? slots.range : null
  if (range === null && !isInWindow(dataset, reading)) return lacks('range')
  // The lists of a range have no number of markets.
  if (range !== null && range !== 'all' && saysNumber(reading.plain)) return notHeld
  if (
    dataset === 'pm_traders' &&
    reading.platforms.length === 1 &&
    anonymousVenues.some(({ id }) => id === reading.platforms[0])
  )
    return notHeld
  if (isList && isOfAll.has(dataset) && reading.limit === null && asksForSum(reading.plain)) return notHeld
  if (namesOtherThing(dataset, slots, reading)) return notHeld
  if (dataset === 'pm_markets' && asksForWinner(reading.plain) && reading.titles[0]?.is_open === true) return notHeld
  if (dataset === 'pm_markets' && !isList && asksForPeople(reading.plain)) return notHeld
  // `think the lakers got a shot`: words of a title, and too few of them to name it.
  if (dataset === 'pm_markets' && isList && reading.foreign.length > 0 && (reading.titles[0]?.share ?? 0) > 0)
    return lacks('market')
  return dataset === 'pm_markets' && isList && (namesCategory(reading.plain) || hasTopic(reading))
    ? lacks('market')
    : null
}

/** Plans that answer with no figure, and signals, which are read by their id. */
const isUnread = new Set(['help', 'account', 'alerts', 'watchlists', 'why_signal'])
const entitySlots = ['asset', 'assets', 'address', 'items', 'markets', 'signal']
const isOfAll = new Set(['signals', 'pm_markets', 'pm_traders', 'discover', 'feed'])

/** Whether a question names no entity. */
const namesNothing = ({ assets, addresses, marketIds, signals, titles, subject }: Reading): boolean =>
  assets.length + addresses.length + marketIds.length + signals.length === 0 &&
  (subject.length === 0 || (titles[0]?.share ?? 0) < 0.5)

/** The periods of profiles. Those of lists and of one trader are slots; `pm_wallet` are comparisons of traders. */
const windows = {
  wallet: { '30d': 30, all: 'all' },
  why_wallet: { '30d': 30, all: 'all' },
  pm_wallet: { all: 'all' },
  why_pm_wallet: { all: 'all' },
} as const

function isInWindow(dataset: string, { plain, period, since, means }: Reading): boolean {
  if (dataset === 'feed')
    return !hasEnd(plain) && !hasZone(plain) && (since !== null || period === 'all' || !hasBegin(plain))
  if (dataset === 'signals') return !isOnDay(plain)
  if (dataset === 'pm_markets') return isPresent(plain, means(ofTurnover), period)
  const ranges = Object.entries(windows).find(([name]) => name === dataset)?.[1]
  if (ranges === undefined || (period === 1 && /\b(today|now)\b/.test(plain) && means(ofHoldings))) return true
  return rangeOf<string>(period, ranges) !== undefined
}

/**
 * Odds are those of now and volumes those of a day. `this week` is now too, unless volume is asked; `this year` belongs
 * to a title.
 */
const isPresent = (plain: string, isOfVolume: boolean, period: Reading['period']): boolean => {
  if (saysPast(plain)) return false
  if (period === null || period === 1) return true
  return !saysSpan(plain) && !(isOfVolume && /\bthis (?:week|month|quarter)\b/.test(plain))
}

const saysPast = saysWords('yesterday, ago')
const saysSpan = saysWords(
  'last, past, previous, prior, over the, during the, in the, all[- ]time, ever, \\d+ ?[dwh], weekly, monthly',
)

/** The feed has a beginning and no end. */
const hasEnd = saysAny(
  /\b(?:before|until|till|prior to|older than) (?!now\b|date\b|speed\b)\S/,
  /\bbetween .+ and\b/,
  /\bfrom .+ (?:to|until|till) (?!now\b|today\b)\S/,
)

/** `since 11/22/2026`, `last weekend`: where such a beginning was not read, signals before it are no answer. */
const hasBegin = saysAny(
  /\bsince \S/,
  /\bafter [\d/.]*\d/,
  /\b(?:last|past|previous) (?:[\d.]+ ?(?:s|secs?|seconds?|mos?|y|yrs?|nights?|mornings?|weekends?)|night|weekend)\b/,
  new RegExp(`\\b(?:in|during|from) (?:early |mid |late |last )?(?:${months.join('|')}|20\\d\\d)\\b`),
)

/** A time of another zone than UTC. */
const hasZone = saysAny(/\d ?(?:am|pm)? (?:e[sd]?t|c[sd]t|m[sd]t|p[sd]?t|bst|ces?t|ist|jst|kst|sgt|hkt|aes?t)\b/)

const saysNumber = saysWords('how many, number of')

const ofTurnover = concept(`volume, turnover, traded, trading, money, action, liquidity, cash, dollar`)
const ofHoldings = concept(`hold, holding, balance, portfolio, bag, own`)

/** Wallets by an asset, traders by a topic, and the profit of an asset: no table has these. */
function namesOtherThing(dataset: string, slots: object, { plain, assets, foreign, means }: Reading): boolean {
  const isOfPeople = dataset === 'discover' || dataset === 'pm_traders'
  const chain = 'chain' in slots ? slots.chain : null
  if (isOfPeople && assets.some((symbol) => (chainOf(`on ${symbol.toLowerCase()}`).slug ?? symbol) !== chain))
    return true
  if (isOfPeople && foreign.some((word) => new RegExp(`\\b(?:about|in|regarding) ${word}\\b`).test(plain))) return true
  return dataset === 'signals' && 'assets' in slots && saysResults(plain) && !means(mayMeanAttention)
}

/** `markets about trump`: a word that no title has. */
const hasTopic = ({ plain, foreign }: Reading): boolean =>
  foreign.some((word) => new RegExp(`\\b(?:about|around|regarding|involving) (?:the )?${word}\\b`).test(plain))
