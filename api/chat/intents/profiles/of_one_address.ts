import { ofBetting } from '#api/chat/reading/concepts/results.ts'
import { oneOf, saysAny, saysWords } from '#api/chat/reading/phrases/phrases.ts'
import type { Reading } from '#api/chat/reading/reading.ts'
import { venueIds } from '#registry/venues/index.ts'

/** Whether a question about an address means its record on prediction markets. */
export const isOfMarkets = ({ plain, isTrader, isWallet, chain, means }: Reading): boolean => {
  if (saysMarkets(plain)) return true
  if (chain !== null) return false
  if (isTrader && !isWallet) return true
  return !isTrader && !isWallet && means(ofBetting) && !saysChain(plain)
}

const saysMarkets = saysWords(
  `markets?, bets?, betting, bettor, ${venueIds.join(', ')}, prediction, predictions, clv, closing line`,
)
const saysChain =
  saysWords(`wallet, holdings?, holds?, hold, portfolio, tokens?, on[- ]?chain, balance, bag, bags, swaps?, 30 days?, 30d
  realized, realised`)

/** Whether a question is about one address and names none. */
export const lacksAddress = ({ plain, addresses, text }: Reading): boolean =>
  addresses.length === 0 &&
  !/<(?:asset|market|signal)>/.test(text) &&
  !/watch ?list/.test(plain) &&
  (pointsAtOwner(plain) || (!asksForList(plain) && asksOfOwner(plain)))

/** A thing of the conversation, which the assistant does not know. */
const pointsAtOwner = saysAny(
  /\b(?:that|this|my|his|her|their|its|the same|our) (?:wallet|address|trader|account|bettor|guy|portfolio|whale)\b(?! tags?| archetypes?| lists?)/,
)

const asksForList =
  saysWords(`best, top, most, worst, highest, lowest, biggest, largest, which, leaderboard, list, wallets, traders, mean, means
  definition, calculated, computed, what is an?, average, sharpest, profitable, greatest, heaviest, busiest, richest, turnover
  when is an?, called, labell?ed, considered, counts? as`)

const owner = oneOf("my, this, that, his, her, their, the, a, an, your, our, someone's, friend's")
const owned =
  oneOf(`wallet, address, trader, portfolio, holdings, record, bets, bettor, pnl, win rate, winrate, clv, archetype, balance, lots
  bags, profile, account's`)
const possessions = oneOf('bets, bags, coins, tokens, trades, positions, profits?, losses, performance, stats, results')
const made = oneOf('made, make, making, lost, lose, losing, earn\\w*, won, win, winning')
const state = oneOf(
  'up, down, winning, losing, profitable, in profit, in the (?:red|green), green, red, a (?:whale|sharp\\w*|degen|bot)',
)

/** `check a wallet`, `how am i doing`, `am i up`: about a person who is not named. */
const asksOfOwner = saysAny(
  new RegExp(String.raw`\b${owner}(?: \w+){0,2} ${owned}\b`),
  /\b(?:look up|lookup|analy[sz]e|check|profile|inspect|pull up) (?:a|an|the|this|that|my|one|some) (?:\w+ )?(?:wallet|address|trader|bettor)\b/,
  /^\W*(?:the )?(?:wallet|address|trader) (?:profile|record|stats|holdings|pnl|win rate)\W*$/,
  /^\W*(?:show|get|give me|see|check|list|view)?(?: me)?(?: the)? ?(?:holdings|portfolio|balances?|bags)\W*$/,
  /\bwhat (?:do|am) i (?:hold\w*|own)\b/,
  new RegExp(String.raw`\bmy ${possessions}\b`),
  /\bhow (?:am|are|have|did) (?:i|we)(?: been)? (?:do|doing|perform\w*|trad\w+|bet\w*)\b/,
  new RegExp(String.raw`\b(?:am|are) (?:i|we) ${state}\b`),
  new RegExp(
    String.raw`\b(?:have|did|do|am) (?:i|we) (?:\w+ )?${made} (?:any |some |more |much |good )?(?:money|profits?|cash|anything|something)\b`,
  ),
  new RegExp(String.raw`\bhow much (?:money )?(?:have|did|do|am) (?:i|we) (?:${made}|up|down)\b`),
)
