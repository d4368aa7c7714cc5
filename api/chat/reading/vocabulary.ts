import type { walletTags } from '#api/endpoints/discover.ts'
import type { archetypes } from '#api/endpoints/pm_traders.ts'
import type { behaviors } from '#api/endpoints/wallet_figures.ts'

type Archetype = (typeof archetypes)[number]
type Behavior = (typeof behaviors)[number]
type Tag = (typeof walletTags)[number]

/** The ways to write an archetype, of traders or of wallets. */
export const archetypeWords: readonly [RegExp, Archetype | Behavior][] = [
  [/\bmarket[- ]?makers?\b|\bmms?\b/, 'market_maker'],
  [/\barbitrageurs?\b|\barbers?\b|\barbitragers?\b|\barbs\b/, 'arbitrageur'],
  [/\bfade[- ]?targets?\b|\bfades\b|\b(i|we|to|can|could|should|would|worth)( be)? fad(e|ed|ing)\b/, 'fade_target'],
  [/\bvalue[- ]?(hunters?|seekers?|bettors?)\b/, 'value_hunter'],
  [/\bmomentum[- ]?(chasers?|traders?)\b/, 'momentum_chaser'],
  [/\blong[- ]?shot[- ]?(hunters?|bettors?|players?|traders?)\b/, 'longshot_hunter'],
  [/\bfavou?rites?[- ]?(backers?|bettors?)\b/, 'favorite_backer'],
  [/\bgeneralists?\b/, 'generalist'],
  [/\bunproven\b/, 'unproven'],
  [/\bsnipers?\b/, 'sniper'],
  [/\bscalpers?\b/, 'scalper'],
  [/\bswing[- ]?traders?\b/, 'swing_trader'],
  [/\bdiamond[- ]?hands?\b/, 'diamond_hands'],
  [/\baccumulators?\b/, 'accumulator'],
  [/\bdormant\b/, 'dormant'],
  [/\bsharps?\b(?! shooter)/, 'sharp'],
  [/\bwhales?\b/, 'whale'],
]

/** The ways to write a tag of wallets. */
export const tagWords: readonly [RegExp, Tag][] = [
  [/\bsmart(est)?[- _]?money\b|\bsmart(est)? (wallets?|addresses)\b/, 'smart_money'],
  [/\bwhales?\b/, 'whale'],
  [
    /\b(fresh|new|newly created|brand new)[- _]?(wallets?|addresses)\b|\bfresh_wallet\b|\bwallets? (?:called |labell?ed |tagged |considered |is |are )*fresh\b/,
    'fresh_wallet',
  ],
  [
    /\bmulti[- _]?chain\b|\bcross[- ]?chain (wallets?|traders?)\b|\b(several|many|multiple|different|three) chains\b/,
    'multi_chain',
  ],
  [
    /\bstable[- _]?(coin[- ])?heavy\b|\b(mostly|mainly) (in )?stable(coin)?s\b|\bstable(coin)? holders\b/,
    'stable_heavy',
  ],
  [/\bhigh[- _]?freq(uency)?\b|\bhft\b|\bconstantly trading\b/, 'high_frequency'],
  [/\bsandwich(es|ers?|ing)?([- _]?like|[- ]?bots?)?\b/, 'sandwich_like'],
  [/\bbot[- _]?like\b|\bbots?\b/, 'bot_like'],
  [/\bwash([- _]?like|(ing|ed)?[- ]?trad(ing|ers?|es?))\b/, 'wash_like'],
  [/\bearly[- _]?(buyers?|birds?|entries)\b|\bfirst (buyers|to buy)\b|\bearliest (buyers?|wallets?)\b/, 'early_buyer'],
  [/\b(buy(s|ing)?|bought|gets?|getting|got|enter(s|ed|ing)?|aped?|in|into|there) (\w+ ){0,3}early\b/, 'early_buyer'],
  [/\bcontract wallets?\b|\bsmart contracts?\b|\btag(ged)? contract\b/, 'contract'],
  [/\bprofitable[- _]90 ?d(ays)?\b|\bprofitable.* tag|\btag(ged)?( as| of| with)? .*profitable/, 'profitable_90d'],
  [
    /\b(losing|loser)[- _]90 ?d(ays)?\b|\b(losing|unprofitable).* \(?tag|\btag(ged)?( as| of| with)? .*(losing|unprofitable|loss)/,
    'losing_90d',
  ],
]

/** The first word of a list that a text has; `market_maker` is one of two words. */
export const firstOf = <T>(words: readonly [RegExp, T][], text: string): T | null =>
  words.find(([pattern]) => pattern.test(text) || pattern.test(text.replaceAll('_', ' ')))?.[1] ?? null

const sentiments = [
  [
    /\b(bullish(?:ly)?|bulls?|positive(?:ly)?|optimistic|upbeat|euphoric|favou?rable|(?:best|highest|strongest) (?:sentiment|mood|tone))\b/,
    'bullish',
  ],
  [
    /\b(bearish(?:ly)?|bears?|negative(?:ly)?|pessimistic|gloomy|fearful|unfavou?rable|(?:worst|lowest|poorest) (?:sentiment|mood|tone))\b/,
    'bearish',
  ],
  [/\b(neutral|undecided|lukewarm)\b/, 'neutral'],
] as const

/** The sentiment that a text asks for; null if it names none or asks which one it is. */
export const sentimentOf = (text: string): (typeof sentiments)[number][1] | null => {
  const named = sentiments.filter(([pattern]) => pattern.test(text))
  return named.length === 1 ? (named[0]?.[1] ?? null) : null
}
