import { oneOf, saysAny, saysWords } from './phrases.ts'

/** Figures of wallets, traders and markets. */
export const saysResults = saysWords(
  'volume, pnl, p&l, profits?, win rate, clv, closing line, hold, holds, holders?, owns?',
)

const rows = oneOf('coins, tokens, assets, markets, traders, bettors, wallets, signals')
const figures = oneOf(
  `pnl, profit, win rate, clv, closing line, volume, odds, mindshare, price, yes, score, trader, bettor, wallet, return, loss`,
)
const sums = oneOf('volume, pnl, profit, money, amount, number, turnover')
/** `above the average volume` compares with a mean, and asks for none. */
const compared = String.raw`(?<!(?:above|below|than|beat(?:ing|s)?|over|under) (?:the |an? )?)`

/** Figures over all rows of a list, which no table has: counts, shares, means and sums. */
export const asksForSum = saysAny(
  /^\W*(?:so |and |ok )?(?:how many|number of|count(?: of)?)\b/,
  new RegExp(
    String.raw`^\W*(?:so |and |ok )?what (?:share|percentage|fraction|proportion) of (?:all )?(?:the )?${rows}\b`,
  ),
  new RegExp(String.raw`\b${compared}(?:average|median|mean|typical) (?:\w+ )?${figures}\b`),
  new RegExp(
    String.raw`(?:^\W*|\b(?:what(?:'s| is|s)?|give me|show me) )(?:the )?(?:total|combined|aggregate|summed|overall|sum of)(?: the| all)? (?:\w+ )?${sums}\b`,
  ),
  saysWords('in (?:total|aggregate)'),
)

/** `who won the last election` is not about an open market. */
export const asksForWinner = saysWords('who (?:won|has won)')

/** `which traders bet on the lakers`: no table has the traders of a market. */
export const asksForPeople = saysAny(
  /\b(?:which|list|show(?: me)?|top|best|find|name) (?:\w+ ){0,2}(?:traders|bettors|gamblers|punters|wallets|whales|sharps|addresses)\b/,
  /\bwho(?:'s| is| are| has| have)? (?:betting|bet|bought|buying|holding|holds|traded|trading|backing)\b/,
)

/** Whether a mean is one of all rows: `the average of all wallets`. */
export const isOverAll = saysAny(
  /^\W*(?:the )?(?:mean|average|median)\b/,
  saysWords('across, of all, over all, among all, for all'),
)

const subjects = 'crypto, sports?, finance, weather, climate, entertainment, tech, science, culture, politics'
const subject = oneOf(`${subjects}, political, financial, econom(?:y|ics?), esports, election, geopolitic\\w*, macro`)

/** Subjects of markets, which are no field of them: a title has words of its own. */
export const namesCategory = saysAny(
  new RegExp(String.raw`\b${subject} (?:prediction )?(?:markets?|bets?|contracts?|odds|category|predictions)\b`),
  new RegExp(String.raw`\bmarkets? (?:not )?(?:about|on|in|for) ${oneOf(subjects)}\b`),
)
