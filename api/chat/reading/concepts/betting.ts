import { venueIds } from '#registry/venues/index.ts'

import { concept } from './concept.ts'

/** Words of prediction markets and of their prices. */
export const ofMarkets = concept(
  `odds, shot at, a shot, probability, probable, chance, likely, likelihood, unlikely, market, yes price, no price, price of yes|no, implied, prediction, pm
  ${venueIds.join(', ')}, priced, pricing, pricing in, resolve, resolution, bet|bets on, bets ~ likely|certain|sure, contract, long shot, longshot, longest shot, long-shot
  surest|safest|likeliest|closest|tightest|riskiest thing|bet|outcome|event, yes share, no share, yes side, no side, underdog, favorite|favourite to win
  price ~ yes, price ~ no, a yes, a no, yes token, no token, yes position, bettors think|say|believe|expect, outcome, likeliest, wager
  people betting, be bet, being bet, money ~ bet, bet ~ money, betting on, bet on, bets on, likelier, event contract, traded ~ on, settle, implied odds, yes on, no on, yes trading|at, prob, probs`,
)

/** Markets that are over. */
export const closed = concept(
  `closed, resolved, settled, finished, ended, expired, concluded, decided, past markets, over already, already over, no longer open
  done markets, closed out, already resolve|settle|finish|close|end|decide, completed, complete, paid out, wrapped up, historical markets
  finalized, finalised, old markets, previous markets, over and done, no longer trading|tradable, inactive`,
)

/** Markets that are open. */
export const open = concept(`open, live, unresolved, ongoing, active, running, still trading, unsettled`)

/** Open markets and those that are over. */
export const ofAnyState = concept(
  `open and|or|& closed|resolved|settled, closed|resolved|settled and|or|& open|live, any state|status, all states, regardless, including closed|resolved|settled, live|open as well as closed|settled|resolved
  whether open, every state|status, both open, live and|or|& resolved|settled|closed, ongoing and|or|& finished|closed|resolved`,
)

/** The smallest volume first. */
export const byLeastVolume = concept(
  `least|lowest|smallest|thinnest|fewest ~ volume|traded|active|liquid|popular|trading|action|money|liquidity, quietest, traded the least, trade least, smallest|lowest|least ~ turnover
  thinnest, deadest, least interest, less volume|traded|action|money|active, most illiquid, illiquid, emptiest, sleepiest, lowest turnover, little volume, slowest`,
)

/** The lowest probability first. */
export const byUnlikely = concept(
  `unlikely, unlikeliest, least likely, long shot, longshot, long-shot, longest odds|shot|shots, least probable, cheapest, slimmest, remotest
  lowest ~ odds|probability|chance|yes|price|likelihood, closest|nearest to no|zero|0|impossible, biggest underdog, smallest chance|probability|odds
  improbable, most improbable, outsider, near impossible, almost impossible, smallest yes, bottom ~ probability|odds, moonshot, least expected
  ascending ~ implied|probability|odds|yes|price|likelihood, least chance, worst odds, worst chance, ascending probability, far-fetched, hardly|barely likely, underdog, least certain`,
)

/** The highest probability first. */
export const byLikely = concept(
  `most likely, likeliest, surest, most certain, safest, closest|nearest to certain|certainty|sure|yes|100|one|1, closest|nearest to a certainty|sure
  biggest|strongest favorite|favourite, heaviest favorite|favourite, highest ~ odds|probability|chance|yes|price|likelihood, most probable
  sort by ~ probability|odds|chance|yes|likelihood, by probability|odds|likelihood|chance|implied, near certain, nearly certain, best odds, best chance
  by how likely|probable|certain, how likely they|each, most sure, most confident, almost certain, virtually certain, most expensive yes, top probability|odds, greatest chance|probability|likelihood|odds
  bet you can't lose, all but certain, most expected, near-certain, rank ~ probability|odds|likelihood|chance, foregone conclusion, locks
  priced highest, descending probability, nearly sure, biggest chance|probability, surefire`,
)
