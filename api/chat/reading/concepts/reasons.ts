import { concept } from './concept.ts'

/** Ways to ask for a reason. */
export const ofReasons = concept(
  `why, how come, reason, because, behind, drive, driver, cause, explain, explanation, account for, fuel, spark
  story with, deal with, what ~ up|happening with, what ~ going on with, what be up with, what happen to|with
  what make|push|lift|trigger|spark|lead|send|pull|turn, what moved, what ~ moving, what has moved, what get into
  what set off, to blame, responsible for, culprit, catalyst, owe to, thanks to what`,
)

/** Ways to ask for the markets or tokens behind a result. */
export const ofParts = concept(
  `which|what market|bet|token|coin|trade|lot|position|wager
  which|what ~ market|bet|token|coin|trade|lot|position|wager
  breakdown, break down, where ~ come, break ~ down, come from, came from, make up of, make of
  make his|her|its|their money|profit|pnl, by market|token|bet|position|coin, per market|token|bet|position|coin
  lot, source of, sources of, attribute, attribution, to tokens, to markets
  biggest win|loss|winner|loser|bet|trade, top|best|worst|winning|losing market|bet|trade|position|token|coin
  top|best|worst ~ market|bet|trade|position|token|coin, split ~ by, itemise, itemize, composition of, contribute ~ most`,
)
