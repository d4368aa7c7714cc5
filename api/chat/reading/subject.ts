import { largeNumbersInDigits } from './number_words.ts'
import { venueWords } from './venue_words.ts'
import { isOrdinary, nearestOf } from './words.ts'

const mostWords = 12

/** The words of a text that name its subject: without cues and small words, numbers in digits. */
export function subjectWords(text: string): string[] {
  const words = largeNumbersInDigits(text.toLowerCase())
    .replaceAll(/\bwin[ -]?rates?\b/g, ' ')
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
export const stem = (word: string): string => {
  if (/\d/.test(word) || word.length < 4) return word
  const bare = word
    .replace(/(?<=..(?:ch|sh|ss|x))es$/, '')
    .replace(/(?<=..)(ies)$/, 'y')
    .replace(/(?<=[^s])s$/, '')
  return bare.replace(/(?<=...)(ing|ed)$/, '').replace(/(.)\1$/, '$1')
}

const noise = new Set(
  `hmm hm um uh erm well a about above according after again all also am among an and any anything are around as ask at be been before being below
  between bet bets betting bettor bettors both but by can chance chances check closed compare compared could current currently
  did do does doing dont each either end event ever every find first for from get getting gimme give given go going good got had
  happen happening happens has have hello hey hi high how hows i if implied in into is isnt it its just kind know last latest
  less let like likelihood likely limit list long look looking lot low many market markets may maybe me mean might money more
  most much my need next no not now odd odds of off on one ones only open or other our out over please pls price priced prices
  pricing prob probabilities probability prediction predictions put question questions rate rather right said say saying says
  see share should show side since so some still such sure than thank thanks that the their them then there these they
  thing things think this those through time to today too top total trade traded traders trading under until up us
  value versus via volume volumes vs want was way we well were what whats when where whether which while who whole whose why
  will with would yes yet you your ${venueWords} venue platform platforms resolve resolved resolves
  resolution outcome outcomes status state biggest largest highest lowest least unlikely best 24h day daily week 24 hours
  percent percentage cheap cheapest expensive figure figures number numbers cents cent cost costs currently standing stands
  happened won lose lost lost active busiest popular crypto related involving regarding concerning contract contracts
  past year years during contract's doe
  result results tldr summary info details detail
  difference differences differ gap spread comparing comparison disagree agree pay payout
  people traders crowd actually really ending ended turn turned quick question ok okay yo bro dude sir lets theres
  take takes taking become fall falls falling cash changed hands hand quote wagered wager staked dollars dollar usd bucks going according accord order display
  provide fetch winner likes event events settle settled finish finished implying implies imply becomes mind wondering eventually claim claims pull pulls get gets manage manages back betting market's
  seen seem seems viewed deemed considered rated against favor favour ago per probable probably stay stays staying mid usa america american americas united states nah nope yeah yep opinion gonna wanna gotta expire expires expired expiring soon currently anyone someone somebody wondered realistic realistically estimate estimated believe thoughts mean`.split(
    /\s+/,
  ),
)

/** Whether a word of a question says nothing about its subject. */
export const isNoise = (word: string): boolean => noise.has(word) || /^t(ell(ing)?|old)s?$/.test(word)

/** Words of many titles that name no subject. */
export const light = new Set('win hit reach end before us year flip land close'.split(' '))

/** An ordinary word in no title is part of the way to ask: `how much cash changed hands on the fed market`. */
export const isEveryday = (stemmed: string): boolean =>
  ['', 'e', 's', 'ed', 'ing'].some((end) => isOrdinary(`${stemmed}${end}`))

const longNoise = [...new Set([...noise].filter((word) => word.length >= 8).map(stem))]

/** `acording` says nothing about a subject either. */
export const isMisspelledNoise = (word: string): boolean =>
  word.length >= 5 &&
  nearestOf(
    word,
    longNoise.filter((candidate) => candidate[0] === word[0]),
  ) !== null
