import { z } from 'zod'

import { givesOrders } from '#api/chat/answering/plain_text.ts'
import { allMarkets } from '#api/endpoints/pm_markets.ts'
import type { Snapshot } from '#snapshots/marts.ts'

import { numberOfWord } from './periods.ts'
import { isEveryday, isMisspelledNoise, light, stem, subjectWords } from './subject.ts'
import { nearestOf } from './words.ts'

/** A market whose title has words of a question; `share` of the weight of these words, 0-1. */
export type FoundMarket = {
  id: string
  platform: string
  is_open: boolean
  share: number
  /** Whether a word of the question is in no title: a hurricane in Texas is not one in Florida. */
  isStrange: boolean
}

const rows = z.array(z.object({ id: z.string(), question: z.string(), platform: z.string(), is_open: z.boolean() }))
const mostCandidates = 400

const synonyms: readonly (readonly string[])[] = [
  ['btc', 'bitcoin'],
  ['eth', 'ethereum', 'ether'],
  ['sol', 'solana'],
  ['doge', 'dogecoin'],
  ['cut', 'lower', 'reduce', 'slash', 'cuts'],
  ['hit', 'reach', 'touch', 'top'],
  ['us', 'usa', 'american', 'america'],
  ['dem', 'democrat', 'democratic'],
  ['fed', 'federal', 'fomc'],
  ['title', 'championship', 'trophy'],
  ['election', 'race'],
  ['nba', 'basketball'],
  ['cpi', 'inflation'],
  ['president', 'presidential', 'presidency', 'potus'],
  ['recession', 'economy'],
  ...'january february april june july august september october november december'
    .split(' ')
    .map((month) => [month, month.slice(0, 3)]),
  ['category', 'cat'],
  ['overtake', 'flip', 'flippening', 'pass', 'surpass'],
]
const alike = (word: string): readonly string[] =>
  synonyms.find((group) => group.some((synonym) => stem(synonym) === word)) ?? [word]

/**
 * Finds the markets with words of a subject in their titles, the best first. A rare word weighs more than a frequent
 * one; a misspelled word is read as the nearest word of the candidates.
 */
export async function findMarkets(snapshot: Snapshot, words: readonly string[]): Promise<FoundMarket[]> {
  if (words.length === 0) return []
  // A title that gives orders is no subject of a question.
  const candidates = (await candidatesOf(snapshot, words)).filter(({ question }) => !givesOrders(question))
  const titles = candidates.map((row) => ({
    ...row,
    words: new Set(subjectWords(row.question).flatMap((word) => [word, ...alike(word).map(stem)])),
  }))
  const spelling = [...new Set(titles.flatMap(({ words: titleWords }) => [...titleWords]))].filter(
    (word) => word.length >= 4,
  )
  const read = words.map(inDigits).map((word) =>
    spelling.includes(word) || word.length < 5
      ? word
      : (nearestOf(
          word,
          spelling.filter((candidate) => candidate[0] === word[0]),
        ) ?? word),
  )
  const weights = read.map((word) => {
    const n = titles.filter(({ words: titleWords }) => titleWords.has(word)).length
    if (n > 0 && light.has(word)) return 0.5
    if (n === 0 && isMisspelledNoise(word)) return 0
    return n === 0 && isEveryday(word) ? 2 : weightOf(n, titles.length)
  })
  const isStrange = read.some((word, i) => weights[i] === unknownWeight && /^[a-z]{3,}$/.test(word))
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  const names = (titleWords: Set<string>): boolean => read.some((word) => titleWords.has(word) && !light.has(word))
  return titles
    .filter(({ words: titleWords }) => names(titleWords))
    .map(({ id, platform, is_open, words: titleWords }) => {
      const shared = read.reduce((sum, word, i) => sum + (titleWords.has(word) ? (weights[i] ?? 0) : 0), 0)
      return { id, platform, is_open, isStrange, share: all === 0 || differs(read, titleWords) ? 0 : shared / all }
    })
    .sort((a, b) => b.share - a.share || Number(b.is_open) - Number(a.is_open) || (a.id < b.id ? -1 : 1))
}

/** `category five` is `category 5`. */
const inDigits = (word: string): string => (/^[a-z]+$/.test(word) ? String(numberOfWord(word) ?? word) : word)

/** Whether a question has figures, a month or a year, and a title others: 200,000 is not 150,000. */
const differs = (read: readonly string[], title: ReadonlySet<string>): boolean => {
  // Of `4,000 on March 31` the price counts.
  const [largest] = read.filter((word) => figure.test(word)).toSorted((a, b) => Number(b) - Number(a))
  const hasOther = (words: readonly string[]) => words.length > 0 && !words.some((word) => title.has(word))
  const hasOtherDate = (date: RegExp) =>
    hasOther(read.filter((word) => date.test(word))) && [...title].some((word) => date.test(word))
  return hasOther(largest === undefined ? [] : [largest]) || hasOtherDate(year) || hasOtherDate(month)
}

const month =
  /^(?:jan|feb|apr|jun|jul|aug|sep|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december)$/
const year = /^20\d\d$/
const figure = /^(?!20\d\d$)\d+(?:\.\d+)?$/
const unknownWeight = 3

/** A word in no title weighs most: the question is then about something else. */
const weightOf = (n: number, total: number): number => (n === 0 ? unknownWeight : Math.log(1 + Math.max(total, 12) / n))

/** Markets whose title contains one of the words, or the start of a long one, which a misspelled word may share. */
async function candidatesOf(snapshot: Snapshot, words: readonly string[]) {
  const parts = [
    ...new Set(words.flatMap((word) => (/^\d/.test(word) ? [] : alike(word).map((synonym) => startOf(synonym))))),
  ]
  const terms = parts.length > 0 ? parts : words
  const params = Object.fromEntries(terms.map((part, i) => [`part${i}`, part]))
  const hits = terms.map((_, i) => `contains(title, $part${i})::integer`).join(' + ')
  const markets = await snapshot.query(
    `select id, question, platform, is_open
     from (select id, question, platform, is_open, volume_24h, lower(question) as title from (${allMarkets(snapshot)}))
     where ${hits} > 0
     order by ${hits} desc, is_open desc, volume_24h desc, id
     limit ${mostCandidates}`,
    params,
  )
  return rows.parse(markets)
}

const startOf = (word: string): string =>
  word.length >= 7 ? word.slice(0, 4) : word.length >= 5 ? word.slice(0, 3) : word
