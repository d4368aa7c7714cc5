import type { Missing } from '#api/chat/missing.ts'
import { concept, type Concept } from '#api/chat/reading/concepts/concept.ts'

/** The things of a conversation that a question can point at, by the nouns for them. */
const nouns: readonly (readonly [names: string, missing: Missing])[] = [
  ['market(?! maker)|contract|bet|outcome|event|prediction', 'market'],
  ['coin|token|asset|crypto|altcoin|alt|ticker|memecoin', 'asset'],
  [
    'wallet|address|trader|bettor|guy|person|whale|dude|gambler|degen|holder|punter|addy|portfolio|market maker|sharp|sniper|scalper',
    'address',
  ],
  ['signal|alert|notification', 'signal'],
  ['term|word|field|metric|score|tag|label|archetype|abbreviation|acronym', 'term'],
]

const many = '(?:two |three |2 |3 |few |couple of )?'
/** `that trader` points, and `those that traders like` does not. */
const pointsBy = nouns.map(([names, missing]) => {
  const singular = `\\b(?:this|that|the same|said) (?:${names})\\b(?! (?:traders|wallets|bettors|addresses|markets|coins|tokens|holders|that|which|who|tags?|archetypes?|lists?))`
  const plural = `\\b(?:these|those) ${many}(?:${names})(?:e?s)\\b(?! (?:that|which|who|with))`
  return [new RegExp(`${singular}|${plural}`), missing] as const
})

const adverb =
  '(?:right now|now|today|lately|currently|these days|this (?:week|month)|over .*|please|again|then|exactly)'
const atTheEnd = `(?=\\W*$|\\W* ${adverb}\\W*$)`
const it = '(?:it|that|this|those|these|them|that one|this one|the other one|the same one|those two|these two)'

/** `the odds on it`, `is it bullish`, `its rank`. */
const ofThing = [
  new RegExp(`\\b(?:of|for|on|about|behind|around|with|in) ${it}${atTheEnd}`),
  new RegExp(`\\b(?:compare) ${it}${atTheEnd}`),
  /\b(?:is|was|does|did|has) (?:it|this one|that one) (?!worth|possible|true|ok|okay|safe|legal|work|like|going to|raining|hot|cold|me\b)\w/,
  /\b(?:its|it's) (?:odds|price|mindshare|sentiment|buzz|rank|volume|attention|chances?|probability|win rate|pnl|clv)\b/,
]

/** `what does he hold`, `her win rate`, `how much is he up`. */
const ofPerson =
  /\b(?:is|was|does|did|has|will|can) (?:he|she)\b|\b(?:his|her) \w|\b(?:about|of|behind|on|for|with) (?:him|her)\b|\b(?:are|were|do|did|have) they (?:profitable|up|down|winning|losing|sharp|hold|own|trade|bet|make|made|win|lose)\b|\btheir (?:\w+ )?(?:pnl|win rate|bets?|holdings|trades?|record|portfolio|balances?|wallet|clv|profits?|bags?)\b|\b(?:he|she)(?:'s| is| was| has| made| lost| won)\b/

/** `which trader lost all his money`, `coins and what is behind it`: the question names what it points at. */
const antecedent =
  /\b(?:who|whose|which|someone|anyone|anybody|somebody|everyone|traders|bettors|wallets|coins|tokens|markets|signals)\b/

/** The kind of thing that `it` stands for, by the words beside it. */
const kinds: readonly (readonly [Concept, Missing])[] = [
  [
    concept(`odds, chance, probability, likelihood, likely, yes price, no price, resolve, market, priced, implied`),
    'market',
  ],
  [
    concept(
      `mindshare, sentiment, attention, trending, bullish, bearish, buzz, hype, mood, talked about, talk about, coin, token, social, momentum, go|went up|down, rise, fall, pump, moon, dump, crash, spike, drop`,
    ),
    'asset',
  ],
  [
    concept(`pnl, hold, holding, portfolio, win rate, clv, wallet, trader, bettor, profit, traded, archetype`),
    'address',
  ],
  [concept(`evidence, signal, alert, fire, trigger`), 'signal'],
  [concept(`mean, define, definition, stand for, meaning`), 'term'],
]

/** The thing that a question points at, where it names none; null if it points at nothing that the tables have. */
export function pointedAt({ plain, means }: { plain: string; means: (concept: Concept) => boolean }): Missing | null {
  const byNoun = pointsBy.find(([pattern]) => pattern.test(plain))
  if (byNoun) return byNoun[1]
  if (antecedent.test(plain)) return null
  if (ofPerson.test(plain)) return 'address'
  if (!ofThing.some((pattern) => pattern.test(plain)) && !isAskedToExplain.test(plain)) return null
  return kinds.find(([kind]) => means(kind))?.[1] ?? null
}

/** `what does that mean`. */
const isAskedToExplain =
  /\bwhat (?:does|do|did) (?:that|this|it|these|those)(?: even| actually| really)? (?:mean|stand)/
