import { z } from 'zod'

import { answerOf, type Fact } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { addressSlot, coverageNotes, isoOf } from '#api/chat/intents/slots.ts'
import { ofBetting } from '#api/chat/reading/concepts/results.ts'
import type { Reading } from '#api/chat/reading/reading.ts'
import { archetypes } from '#api/endpoints/pm_traders.ts'

export const traderProfile = z.object({
  pm_profile: z.object({
    address: z.string(),
    total_pnl: z.number(),
    win_rate: z.number(),
    clv_score: z.number(),
    markets_traded: z.number(),
    archetype: z.enum(archetypes),
  }),
})

export const pmWallet = defineIntent({
  name: 'pm_wallet',
  doc: 'The prediction-market record of one address over all time.',
  examples: ['How many markets did 0xBBc264c10F54A61607A31B53358a5A87d4B045be trade?'],
  slots: z.strictObject({ address: addressSlot }),
  match: (reading) => {
    const [address] = reading.addresses
    if (!address) return lacksAddress(reading) && isOfMarkets(reading) ? { score: 72, missing: 'address' } : null
    return isOfMarkets(reading) ? { score: 64, slots: { address: address.shown } } : null
  },
  answer: async ({ address }, { readers }) => {
    const { body, asOf, coverage } = await readers.get('GET /pm-wallet', { address }, traderProfile)
    // The endpoint serves zeros for an address without trades. As facts they would read as measured.
    const { markets_traded } = body.pm_profile
    const none = `No trade of ${body.pm_profile.address} on prediction markets is stored.`
    return answerOf({
      headline: markets_traded === 0 ? none : 'Prediction-market record over all time:',
      facts: markets_traded === 0 ? [] : [traderFact(body)],
      notes: coverageNotes(coverage),
      given: [body.pm_profile.address, coverage ?? ''],
      asOf: isoOf(asOf),
    })
  },
})

/** The record of a trader as a fact. */
export const traderFact = ({ pm_profile: row }: z.output<typeof traderProfile>): Fact => ({
  name: row.address,
  figures: [
    { name: 'total PnL', value: row.total_pnl, unit: 'usd' },
    { name: 'win rate', value: row.win_rate, unit: 'share' },
    { name: 'closing line value', value: row.clv_score, unit: 'points' },
    { name: 'markets traded', value: row.markets_traded, unit: 'count' },
  ],
  words: [row.archetype],
  source: { type: 'wallet', entity: row.address, signal_id: '' },
})

/** Words of on-chain wallets. */
const chainWords =
  /\b(wallet|holdings?|holds?|hold|portfolio|tokens?|on[- ]?chain|balance|bag|bags|swaps?|30 days?|30d|realized|realised)\b/

/** Whether a question about an address means its record on prediction markets. */
export const isOfMarkets = ({ plain, isTrader, isWallet, chain, means }: Reading): boolean => {
  if (
    /\b(markets?|bets?|betting|bettor|polymarket|kalshi|limitless|prediction|predictions|clv|closing line)\b/.test(
      plain,
    )
  )
    return true
  if (chain !== null) return false
  if (isTrader && !isWallet) return true
  return !isTrader && !isWallet && means(ofBetting) && !chainWords.test(plain)
}

const owner =
  /\b(my|this|that|his|her|their|the|a|an|your|our|someone's|friend's)( \w+){0,2} (wallet|address|trader|portfolio|holdings|record|bets|bettor|pnl|win rate|winrate|clv|archetype|balance|lots|bags|profile|account's)\b/
const list =
  /\b(best|top|most|worst|highest|lowest|biggest|largest|which|leaderboard|list|wallets|traders|mean|means|definition|calculated|computed|what is an?|average|sharpest|profitable|greatest|heaviest|busiest|richest|turnover)\b/

/** A thing of the conversation, which the assistant does not know. */
const pointing =
  /\b(?:that|this|my|his|her|their|its|the same|our) (?:wallet|address|trader|account|bettor|guy|portfolio|whale)\b(?! tags?| archetypes?| lists?)/

/** Whether a question is about one address and names none. */
export const lacksAddress = ({ plain, addresses, text }: Reading): boolean =>
  addresses.length === 0 &&
  !/<(asset|market|signal)>/.test(text) &&
  (pointing.test(plain) || !list.test(plain)) &&
  !/watch ?list/.test(plain) &&
  (pointing.test(plain) ||
    owner.test(plain) ||
    /\b(look up|lookup|analy[sz]e|check|profile|inspect|pull up) (a|an|the|this|that|my|one|some) (\w+ )?(wallet|address|trader|bettor)\b|\bwhat (do|am) i (hold\w*|own)\b|^\W*(?:the )?(?:wallet|address|trader) (?:profile|record|stats|holdings|pnl|win rate)\W*$|^\W*(?:show|get|give me|see|check|list|view)?(?: me)?(?: the)? ?(?:holdings|portfolio|balances?|bags)\W*$|\bmy (bets|bags|coins|tokens|trades|positions|profits?|losses|performance|stats|results)\b|\bhow (am|are|have|did) (i|we)( been)? (do|doing|perform\w*|trad\w+|bet\w*)\b|\b(am|are) (i|we) (up|down|winning|losing|profitable|in profit|in the (red|green)|green|red|a (whale|sharp\w*|degen|bot))\b|\b(have|did|do|am) (i|we) (\w+ )?(made|make|making|lost|lose|losing|earn\w*|won|win|winning) (any |some |more |much |good )?(money|profits?|cash|anything|something)\b|\bhow much (money )?(have|did|do|am) (i|we) (made|make|making|lost|lose|losing|earn\w*|won|win|up|down)\b/.test(
      plain,
    ))
