import { closed, ofAnyState, open } from '#api/chat/reading/concepts/betting.ts'
import type { Reading } from '#api/chat/reading/reading.ts'
import type { FoundMarket } from '#api/chat/reading/titles.ts'

/** The share of the weight of a question's words that the title of a named market has at least. */
const leastShare = 0.5
/** The same, of a question with a word that no title has, or with two assets. */
const leastOtherShare = 0.77

/** The markets whose titles fit best; of a topic all open ones that fit as well. */
export function namedMarkets(reading: Reading): string[] {
  const { marketIds, titles, platforms, subject, assets } = reading
  if (marketIds.length > 0) return [...new Set(marketIds)]
  if (subject.length === 0) return []
  const [platform] = platforms
  const ofVenue = platforms.length === 1 ? titles.filter((title) => title.platform === platform) : titles
  const best = ofVenue[0]?.share ?? 0
  // `solana flipping bitcoin` is not Solana flipping Ethereum.
  const isOther = ofVenue[0]?.isStrange === true || assets.length > 1
  if (best < (isOther ? leastOtherShare : leastShare)) return []
  const fitting = ofVenue.filter(({ share }) => share >= best - 1e-9)
  return chooseState(fitting, statusOf(reading))
    .map(({ id }) => id)
    .slice(0, 20)
}

const chooseState = (fitting: readonly FoundMarket[], status: 'closed' | 'all' | undefined): readonly FoundMarket[] => {
  const wanted = fitting.filter(({ is_open }) => (status === 'closed' ? !is_open : is_open))
  return status === 'all' || wanted.length === 0 ? fitting : wanted
}

/** The state of the markets that a question asks for; undefined for open ones. */
export const statusOf = ({ text, means }: Reading): 'closed' | 'all' | undefined => {
  const isClosed = means(closed)
  const isBoth = isClosed && means(open) && !/\b(not|no longer|isn't) (open|closed|live|active)\b/.test(text)
  if (isBoth || means(ofAnyState)) return 'all'
  return isClosed ? 'closed' : undefined
}
