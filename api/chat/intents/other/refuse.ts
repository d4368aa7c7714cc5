import { z } from 'zod'

import { answerOf } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { ofMarkets } from '#api/chat/reading/concepts/markets.ts'
import { notUnderstood } from '#api/chat/route.ts'

const reasons = {
  advice: 'The assistant gives figures and no advice: it says nothing about buying, selling or betting.',
  write:
    'The assistant reads and changes nothing. Alerts, watchlists, keys and tiers change through their endpoints and pages.',
  unsupported: 'The assistant answers from its own tables, which do not hold this.',
} as const

type Reason = keyof typeof reasons

export const refuse = defineIntent({
  name: 'refuse',
  doc: 'Advice, changes, and all that the tables do not hold.',
  examples: [],
  isTool: false,
  slots: z.strictObject({ reason: z.enum(Object.keys(reasons) as [Reason, ...Reason[]]) }),
  match: ({ plain, text, titles, subject, assets, means }): { score: number; slots: { reason: Reason } } => {
    if (writes.test(text) && !/\bshould (?:i|we)\b/.test(text)) return { score: 96, slots: { reason: 'write' } }
    if (orders.test(plain)) return { score: 95, slots: { reason: 'unsupported' } }
    if (identity.test(plain)) return { score: 91, slots: { reason: 'unsupported' } }
    if (statistics.test(plain) || dates.test(plain) || quoted.test(plain))
      return { score: 91, slots: { reason: 'unsupported' } }
    if (advice.test(text)) return { score: 94, slots: { reason: 'advice' } }
    // `will bitcoin reach 150k` asks for the odds of a market if there is one.
    const share = titles[0]?.share ?? 0
    const isOfMarket = share >= 0.7 && subject.length > 1
    if (prediction.test(text)) return { score: 93, slots: { reason: 'unsupported' } }
    const isComparison = assets.length > 1 && /\blike(?:ly|lier|lihood)|\bodds|\bchances?\b/.test(text)
    if (forecast.test(text) && !isOfMarket && !isComparison && !(share >= 0.5 && means(ofMarkets)))
      return { score: 93, slots: { reason: 'advice' } }
    const isOutside = outside.test(plain.replace(introduction, '')) || (!isOfMarket && price.test(text))
    return { score: isOutside ? 80 : notUnderstood, slots: { reason: 'unsupported' } }
  },
  answer: async ({ reason }) => answerOf({ headline: reasons[reason] }),
})

const objects =
  '(?:alerts?|alarms?|notifications?|watch ?lists?|keys?|api keys?|tier|plan|subscription|account|handle|password|e-?mail|telegram|webhook|limits?|rate limits?)'
const writes = new RegExp(
  [
    `\\b(?:create|make|add|set ?up|set|delete|remove|rename|change|update|upgrade|downgrade|cancel|revoke|regenerate|rotate|unsubscribe|subscribe|put|move|drop|edit|clear|erase|wipe|mute|pause|silence|modify|stop|kill|switch|reset|enable|disable|turn (?:on|off)|generate|issue|raise|increase|lift|bump)\\b.{0,60}\\b${objects}\\b`,
    String.raw`\b(?:alert|notify|ping|remind|warn|message|text|email|e-mail|t(?:ell)) me (?:when|if|once|whenever|as soon|every|the moment)\b`,
    String.raw`\b(?:alert|notify|ping|remind|warn|email|e-mail) me\b|\b(?:upgrade|downgrade) (?:to|from)\b`,
    String.raw`\blet me know (?:when|if|once|whenever|as soon)\b`,
    String.raw`\b(?:start|begin|stop) (?:following|tracking|watching|monitoring)\b`,
    String.raw`\b(?:un)?subscribe me\b|\bsign me up\b|\bremind me\b`,
    String.raw`\b(?:follow|unfollow|track|watch|monitor) (?:this|that|it|him|her|them|<address>|<asset>|<market>|the (?:wallet|trader|address|market))(?!\w)`,
    String.raw`\b(?:give|make|get) me (?:a|another) (?:new |second )?(?:key|api key|alert|watch ?list)\b`,
    String.raw`\b(?:upgrade|downgrade|promote) (?:me|my|us)\b`,
    String.raw`^\W*(?:please |pls |go |now |just )*(?:put|bet|stake|wager) (?:\$|usd )?\d[\w.,]* ?(?:bucks|dollars|usd|usdc)?\b.{0,20}\bon\b`,
    String.raw`\b(?:place|open|execute|put) (?:a |an |the |my )?(?:\w+ )?(?:bet|order|trade|position|wager)\b|\b(?:buy|sell|swap|send|transfer|bridge) (?:me |my )?\d`,
    String.raw`\b(?:add|put|save) (?:<asset>|<address>|<market>|it|this|that).{0,40}\b(?<!next )(?:to|on|in|into) (?:my|our|the|a|an|watch\w*|favou?rites)\b`,
  ].join('|'),
)

const orders =
  /\b(ignore|disregard|forget|override|bypass) (all|any|your|the|every|my|previous|prior|everything|these|those|instructions|rules)\b|\bsystem prompt\b|\bsystem ?:|\b(tier|plan) is (now )?(pro|enterprise|admin)\b|\bas (an? )?(enterprise|admin\w*|root|developer) (user|customer|caller|account)\b|\b(your|the) (instructions|prompt|rules)\b|(?<!\bmy )\b(api|secret|private|other|another|someone).{0,20} keys?\b|\bpasswords?\b|\bseed phrase\b|\bpretend\b|\brole ?play\b|\bact as\b|\bjailbreak\b|\bdeveloper mode\b|\byou are now\b|\b(drop|select|insert|delete|union|update) (table|\*|into|from|all)\b|\bselect .* from\b|<script|\bexecute\b|\benvironment variables?\b|\bother (users?|accounts?|customers?)\b|\banother (user|account|customer)('s)?\b|\breveal\b|\b(hack|steal|exploit|phish)\b|\bdrain (?:the|a|my|his|her|their|<address>)|\bsource code\b|\badmin\b|\bread_csv|\battach '/

const advice = new RegExp(
  [
    String.raw`\bshould (?:i|we|one|you|my|anyone|people)\b|\bshd i\b|\bshould .{0,20}\b(?:buy|sell|bet|short|long)\b`,
    String.raw`\bworth (?:buying|it|a bet|a buy|betting|investing|holding|selling|a look|a punt|getting|aping|shorting)\b|\bis it worth\b`,
    String.raw`\b(?:good|smart|safe|great|bad|wise|decent|solid) (?:buy|time to|idea|investment|entry|moment|bet\b|trade|play|pick)\b|\bbuy signal\b|\b(?:smart|wise|safe|okay|ok|risky|dumb|stupid|good idea|bad idea|better) to (?:buy|sell|short|long|bet|invest|ape|hold|copy|put|place|stake|wager|throw|back)\b`,
    String.raw`\b(?:what|which|where|how much)(?: \w+){0,3} (?:should|would|could|can|do|must) (?:i|we|you)(?: \w+)? (?:buy|bet|sell|short|long|ape|invest|hold|put|stake|back|copy)\b`,
    String.raw`\b(?:(?:safest|best|good|safe) investments?|recommend|recommendations?|advise|advice|suggest(?:ions?)?|tips?|best (?:pick|bet)\b(?!s)|pick (?:for )?me|pick (?:a|the|one)|winner for|easy (?:money|win)|surefire|hot tip|safest bet|(?<!to a )sure thing|free money|guaranteed)\b`,
    String.raw`\b(?:which|what|who)(?: \w+){0,2} to (?:buy|sell|bet|short|long|back|pick|hold|ape|trade|copy)\b`,
    String.raw`(?<!\b(?:first|earliest|rush\w*|ones|people|wallets|traders|early|started|began) )\bto (?:buy|sell|short|invest|ape|bet on|hodl|dump|go long|go short)\b`,
    String.raw`\b(?:on|about|of|by|for|worth|considering|thinking) (?:buying|selling|shorting|longing|aping|hodling)\b`,
    String.raw`\bcopy(?:ing|[- ]?trad\w+)\b`,
    String.raw`\bwho (?:do|can|would|must) (?:i|we) (?:tail|copy|follow|fade|back|trust)\b|\b(?:any|got) (?:\w+ )?(?:locks?|picks?|parlays?)\b|\b(?:your|hottest|best|top|favou?rite) (?:\w+ )?picks?\b|\binvestments?\b`,
    String.raw`\bwould you (?:go|be) (?:long|short|in|out)\b`,
    String.raw`\b(?:buy or sell|sell or (?:buy|hold)|hold or sell|long or short|buy the dip|time to (?:buy|sell|get|ape|exit|short))\b`,
    String.raw`\b(?:is|are) .{1,30} (?:a buy|a sell|undervalued|overvalued|a bargain)\b|\b(?:help me|how (?:do|can|to) (?:i|we)?) ?(?:make|get|earn|bet|invest|win|become)\b.{0,20}\b(?:money|rich|profit|wisely|millions?|bets?|wealthy)\b`,
    String.raw`\b(?:if you were me|would you (?:buy|sell|bet|hold|short|invest|take|put|go)|what would you|can i (?:trust|copy|buy|short|long|sell|ape)|which side|who should|bet on for|what to (?:buy|bet|sell|short|long|trade)|wht to buy|gonna (?:pump|moon|dump|crash))\b`,
    String.raw`^\W*(?:so )?(?:ape|aping|buy|sell|short|long|hodl|yolo|dump|invest(?:ing)?|go (?:long|short))(?: more| some| all)?(?: in| into| on| my)? <asset>|\b(?:ape|buy|sell|short|long|hodl|yolo|dump)\b.{0,30}\bor (?:nah|not|wait|pass)\b|\b(?:wen|when) (?:moon|lambo|pump|rich)\b|\bto the moon\b|\b(?:do|shall|must) (?:i|we) (?:buy|sell|short|long|ape|exit|bet|invest|dump)\b|\btoo late to\b|\bwag?mi\b|\bngmi\b|\b(?:which|what)(?: \w+){0,3} (?:will|would) make me (?:rich|money)\b`,
  ].join('|'),
)

const forecast =
  /<asset> (?:will|is going to|is gonna|gonna|could|can|might) (?:ever )?(?:go|moon|pump|dump|crash|rise|fall|rally|recover|drop|double|hit|reach|keep)\b|\b(?:will|is|are|does|would|going to|gonna|can) (?:the )?(?:price of )?(?:<asset>|it|this|that|they|crypto|the market|markets?|prices?|coin|token).{0,30}\b(?:go(?:ing)? (?:up|down|to)|moon|pump|dump|crash|rise|fall|rally|recover|drop|double|explode|survive|outperform|10x|100x|hit|reach|keep|skyrocket|tank|bounce|bottom|win|up (?:tomorrow|next))\b|\b(?:which|what) (?:\w+ ){0,2}(?:will|is going to|are going to|is gonna|could|might|can) (?:\d+x|moon|pump|dump|explode|double|rally|crash|go up|go down|rise|fall|win)\b|\bwhere (?:will|is) <asset>.{0,20}\b(?:be|going|headed)\b|\bhow high (?:can|will)\b/

/** A price of the future. The assistant has no forecasts, and odds are the prices of others. */
const prediction =
  /\b(?:predict|forecast|outlook|price target|projection)\b.{0,40}<asset>|<asset>.{0,20}\b(?:price prediction|forecast|price target|outlook)\b|\b(?:what|where) will <asset> be\b|\b(?:predict|forecast) (?:the )?(?:price|market|future)\b/

/** The words of a person, which no table has. */
const quoted =
  /\bwhat (?:does|did|do|has) (?!(?:the|people|everyone|everybody|bettors|traders|kalshi|polymarket|limitless|crowd|markets?|it|this|that|you|<\w+)\b)[a-z]+(?: [a-z]+)? (?:think|thinks|say|says|said|tweet|tweeted|post|posted|believe)\b/

/** People behind addresses, of which nothing is known. */
const identity =
  /\b(who (owns|runs|controls|is behind|operates)|owner of|who is the owner|(real|legal|full|actual) names?|names? of the (person|owner|people|trader)|identity|identify (?:the )?(?:person|owner|people|human|man|woman|who)|(person|human|people|man|woman) behind|doxx?(ed|ing)?|e-?mail( address)?|phone( number)?|lives? (?:in|at)|nationality|gender|home address)\b/

/** Figures that no table has, whatever they are of. */
const statistics =
  /\b(correlat\w*|covariance|regression|volatility|variance|standard deviation|sharpe|sortino|drawdowns?|kelly|value at risk|p-?value|backtest\w*|expected value|moving average|forecast error|brier)\b/

/** When a market ends, which no table has. */
const dates =
  /\bwhen (?:do|does|did|will|is|are)\b.*\b(?:resolve|close|end|expire|settle|closing|ending|due)s?\b|\b(?:clos|end|expir|resolv|settl)(?:e|es|ing) (?:soon|next|today|tonight|tomorrow|first|this week|this month)\b|\b(?:end|expiry|expiration|resolution|closing|close) dates?\b/

/** `I write a story on the election. What are the odds?`: the first sentence asks nothing. */
const introduction = /^\W*(?:i|we|i'm|i am|we're|we are|my|our)\b[^.!?]*[.!] (?=\S)/

const outside =
  /\b(weather|temperature|rain|jokes?|poem|song|recipe|cook|news|headline|headlines|(?<!for an )article|market ?caps?|mcap|tvl|supply|circulating|gas( price| fees?)?|gwei|stock|stocks|nasdaq|s&p|dow|gold|forex|euro|dollar|translate|write (me )?(a|an|some|code)|code|python|javascript|sql|(?<!nobody needs an )essay|story|email address|phone|capital of|president of|who is the (ceo|president|founder)|who (founded|created|invented|made you|are you)|birthday|how old (?!(is|are) (the|your|this|these) (data|figures|numbers|info|stats|snapshot))|age of|movie|football|dinner|restaurant|wikipedia|google|homework|math|calculate \d|\d+ ?[+*/x] ?\d+|what time|what day|date today|meaning of life|chatgpt|openai|are you (human|real|a bot|an ai)|which model|private key|tax(es)?|legal|airdrops?|staking|yield|apy|apr|nft|nfts|ipo|earnings|interest rate of|correlation|dominance|ath|all[- ]time high price|candles?|chart|charts|rsi|macd|moving average|order ?book|roi|sharpe ratio|drawdowns?|when (?:is|are|was) (?:the )?(?:next|last) (?!(?:update|refresh|snapshot|data))|liquidity|funding rates?|open interest|liquidations?|github|followers|developers?|whitepaper|tokenomics|roadmap|unlock(s|ed)?|tweets?|(?<!crypto )twitter|posts? (say|about|text)|verbatim|quote (me )?(?:a|an|the|some) (?:posts?|tweets?|texts?|users?|authors?)|full text)\b/

/** The price of an asset, which no table has. */
const price =
  /\b(current |live |spot )?(price|cost|worth|value) (of|for) (a |an |one |1 )?<asset>|\b(how much (is|does)|what's|whats|what is) (a |one |1 )?<asset>( tokens?| coins?)? (worth|cost|trading|price|going for|at|selling)\b|\bhow much (?:is|for|are|does) (?:a|an|one|\d+) <asset>|<asset>('s)? (spot |current |token |usd )?price\b|<asset> (in|to) (usd|dollars?|euros?|eur|gbp|pounds|yen)\b/
