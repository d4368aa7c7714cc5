import { z } from 'zod'

import { givesOrders } from '#api/chat/answering/plain_text.ts'
import { allMarkets } from '#api/endpoints/pm_markets.ts'
import type { Snapshot } from '#marts/marts.ts'

import { numberOfWord } from './periods.ts'
import { isOrdinary, nearestOf } from './words.ts'

/** A market whose title has words of a question; `share` of the weight of these words, 0-1. */
export type FoundMarket = { id: string; platform: string; is_open: boolean; share: number }

const rows = z.array(z.object({ id: z.string(), question: z.string(), platform: z.string(), is_open: z.boolean() }))
const mostWords = 12
const mostCandidates = 400

const noise = new Set(
  `a about above according after again all also am among an and any anything are around as ask at be been before being below
  between bet bets betting bettor bettors both but by can chance chances check closed compare compared could current currently
  did do does doing dont each either end event ever every find first for from get getting gimme give given go going good got had
  happen happening happens has have hello hey hi high how hows i if implied in into is isnt it its just kind know last latest
  less let like likelihood likely limit list long look looking lot low many market markets may maybe me mean might money more
  most much my need next no not now odd odds of off on one ones only open or other our out over please pls price priced prices
  pricing prob probabilities probability prediction predictions put question questions rate rather right said say saying says
  see share should show side since so some still such sure than thank thanks that the their them then there these they
  thing things think this those through time to today too top total trade traded traders trading under until up us
  value versus via volume volumes vs want was way we well were what whats when where whether which while who whole whose why
  will with would yes yet you your kalshi polymarket limitless poly venue platform platforms resolve resolved resolves
  resolution outcome outcomes status state biggest largest highest lowest least unlikely best 24h day daily week 24 hours
  percent percentage cheap cheapest expensive figure figures number numbers cents cent cost costs currently standing stands
  happened won lose lost lost active busiest popular crypto related involving regarding concerning contract contracts
  past year years during contract's doe
  result results tldr summary info details detail
  difference differences differ gap spread comparing comparison disagree agree pay payout
  people traders crowd actually really ending ended turn turned quick question ok okay yo bro dude sir lets theres
  take takes taking become cash changed hands hand quote wagered wager staked dollars dollar usd bucks going according accord order display
  provide fetch winner likes event events settle settled finish finished implying implies imply becomes mind wondering eventually claim claims pull pulls get gets manage manages back betting market's
  currently anyone someone somebody wondered realistic realistically estimate estimated believe thoughts mean`.split(
    /\s+/,
  ),
)

/** Whether a word of a question says nothing about its subject. */
export const isNoise = (word: string): boolean => noise.has(word) || /^t(ell(ing)?|old)s?$/.test(word)

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
  ['overtake', 'flip', 'flippening', 'pass', 'surpass'],
]

/** The words of a text that name its subject: without cues and small words, numbers in digits. */
export function subjectWords(text: string): string[] {
  const words = text
    .toLowerCase()
    .replaceAll(/\bwin[ -]?rates?\b/g, ' ')
    .replaceAll(/\b([a-z]+) (?=(?:thousand|million|billion)\b)/g, (word, n: string) => {
      const value = numberOfWord(n)
      return value === null ? word : `${value} `
    })
    .replaceAll(/\bsince (?:last )?[a-z]+\b/g, ' ')
    .replaceAll(/\bwhite house\b/g, 'president')
    .replaceAll(/\bsuperbowl\b/g, 'super bowl')
    .replaceAll(/(\d),(?=\d{3})/g, '$1')
    .replaceAll(/(\d+(?:\.\d+)?) ?(k|m|bn?|thousand|million|billion)\b/g, (_, n: string, unit: string) =>
      String(Math.round(Number(n) * (scale[unit[0] ?? ''] ?? 1))),
    )
    .replaceAll(/(\d+(?:\.\d+)?) ?(?:cents?|c|¢)(?!\w)/g, (_, n: string) => String(Number(n) / 100))
    .replaceAll(/\b\d+[- ]?(?:d|h|days?|hours?|weeks?|months?|minutes?)\b/g, ' ')
    .replaceAll(/(?<=[a-z])['’]s?\b/g, '')
    .split(/[^a-z0-9.]+/)
    .map((word) =>
      word
        .replaceAll(/^\.+|\.+$/g, '')
        .replace(/(\.\d*?)0+$/, '$1')
        .replace(/\.$/, ''),
    )
  const stems = words.filter((word) => word !== '' && !isNoise(word)).map(stem)
  return [...new Set(stems.filter((word) => !isNoise(word)))].slice(0, mostWords)
}

const scale: Record<string, number> = { k: 1e3, t: 1e3, m: 1e6, b: 1e9 }

/** A word without its plural or tense. */
const stem = (word: string): string => {
  if (/\d/.test(word) || word.length < 4) return word
  const bare = word.replace(/(?<=..)(ies)$/, 'y').replace(/(?<=[^s])s$/, '')
  return bare.replace(/(?<=...)(ing|ed)$/, '').replace(/(.)\1$/, '$1')
}

const alike = (word: string): readonly string[] =>
  synonyms.find((group) => group.some((one) => stem(one) === word)) ?? [word]

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
    words: new Set(subjectWords(row.question).flatMap((one) => [one, ...alike(one).map(stem)])),
  }))
  const spelling = [...new Set(titles.flatMap(({ words: of }) => [...of]))].filter((one) => one.length >= 4)
  const read = words.map((word) =>
    spelling.includes(word) || word.length < 5
      ? word
      : (nearestOf(
          word,
          spelling.filter((one) => one[0] === word[0]),
        ) ?? word),
  )
  const weights = read.map((word) => {
    const n = titles.filter(({ words: of }) => of.has(word)).length
    if (n > 0 && light.has(word)) return 0.5
    if (n === 0 && isMisspelledNoise(word)) return 0
    return n === 0 && isEveryday(word) ? 2 : weightOf(n, titles.length)
  })
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  const names = (of: Set<string>): boolean => read.some((word) => of.has(word) && !light.has(word))
  return titles
    .filter(({ words: of }) => names(of))
    .map(({ id, platform, is_open, words: of }) => {
      const shared = read.reduce((sum, word, i) => sum + (of.has(word) ? (weights[i] ?? 0) : 0), 0)
      return { id, platform, is_open, share: all === 0 ? 0 : shared / all }
    })
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share || Number(b.is_open) - Number(a.is_open) || (a.id < b.id ? -1 : 1))
}

/** Words of many titles that name no subject. */
const light = new Set('win hit reach end before us year'.split(' '))

/** An ordinary word in no title is part of the way to ask: `how much cash changed hands on the fed market`. */
const isEveryday = (stemmed: string): boolean =>
  ['', 'e', 's', 'ed', 'ing'].some((end) => isOrdinary(`${stemmed}${end}`))

const longNoise = [...new Set([...noise].filter((word) => word.length >= 8).map(stem))]

/** `acording` says nothing about a subject either. */
const isMisspelledNoise = (word: string): boolean =>
  word.length >= 5 &&
  nearestOf(
    word,
    longNoise.filter((one) => one[0] === word[0]),
  ) !== null

/** A word in no title weighs most: the question is then about something else. */
const weightOf = (n: number, total: number): number => (n === 0 ? 3 : Math.log(1 + Math.max(total, 12) / n))

/** Markets whose title contains one of the words, or the start of a long one, which a misspelled word may share. */
async function candidatesOf(snapshot: Snapshot, words: readonly string[]) {
  const parts = [...new Set(words.flatMap((word) => (/^\d/.test(word) ? [] : alike(word).map((one) => startOf(one)))))]
  const terms = parts.length > 0 ? parts : words
  const params = Object.fromEntries(terms.map((part, i) => [`part${i}`, part]))
  const hits = terms.map((_, i) => `contains(title, $part${i})::integer`).join(' + ')
  const found = await snapshot.query(
    `select id, question, platform, is_open
     from (select id, question, platform, is_open, volume_24h, lower(question) as title from (${allMarkets(snapshot)}))
     where ${hits} > 0
     order by ${hits} desc, is_open desc, volume_24h desc, id
     limit ${mostCandidates}`,
    params,
  )
  return rows.parse(found)
}

const startOf = (word: string): string =>
  word.length >= 7 ? word.slice(0, 4) : word.length >= 5 ? word.slice(0, 3) : word
