import { oneOf, saysAny, saysWords } from '#api/chat/reading/phrases/phrases.ts'

const trade = oneOf('buy, sell, bet, short, long, ape, invest, hold, put, stake, back, copy')
const we = oneOf('i, we, one, you, my, anyone, people')
const praise = oneOf('good, smart, safe, great, bad, wise, decent, solid')
const caution = oneOf('smart, wise, safe, okay, ok, risky, dumb, stupid, good idea, bad idea, better')

/** Whether a question asks what to do. A text in lower case with its entities replaced. */
export const asksForAdvice = saysAny(
  // Questions for a recommended action.
  new RegExp(String.raw`\bshould ${we}\b(?! (?:ask|know|type|say)\b)|\bshd i\b`),
  /\bshould .{0,20}\b(?:buy|sell|bet|short|long)\b/,
  new RegExp(
    String.raw`\b(?:what|which|where|how much)(?: \w+){0,3} (?:should|would|could|can|do|must) (?:i|we|you)(?: \w+)? ${trade}\b`,
  ),
  /\b(?:which|what|who)(?: \w+){0,2} to (?:buy|sell|bet|short|long|back|pick|hold|ape|trade|copy)\b/,
  /(?<!\b(?:first|earliest|rush\w*|ones|people|wallets|traders|early|started|began) )\bto (?:buy|sell|short|invest|ape|bet on|hodl|dump|go long|go short)\b/,
  /\b(?:do|shall|must) (?:i|we) (?:buy|sell|short|long|ape|exit|bet|invest|dump)\b|\bwhat to (?:buy|bet|sell|short|long|trade)|\bwht to buy\b/,
  /\bwho (?:do|can|would|must) (?:i|we) (?:tail|copy|follow|fade|back|trust)\b|\bwho should\b|\bwhich side\b|\bbet on for\b/,
  /\bif you were me\b|\bwhat would you\b|\bwould you (?:buy|sell|bet|hold|short|invest|take|put|go)|\bwould you be (?:long|short|in|out)\b/,
  /\bcan i (?:trust|copy|buy|short|long|sell|ape)|\bcopy(?:ing|[- ]?trad\w+)\b/,
  // Whether a deed is a good one.
  new RegExp(
    String.raw`\b${praise} (?:buy|time to|idea|investment|entry|moment|bet\b|trade|play|pick)\b|\b${caution} to (?:buy|sell|short|long|bet|invest|ape|hold|copy|put|place|stake|wager|throw|back)\b`,
  ),
  /\bworth (?:buying|it|a bet|a buy|betting|investing|holding|selling|a look|a punt|getting|aping|shorting)\b|\bis it worth\b/,
  /\b(?:is|are) .{1,30} (?:a buy|a sell|undervalued|overvalued|a bargain)\b|\btoo late to\b|\bbuy signal\b/,
  // A plan of the caller.
  /\b(?:on|about|of|by|for|worth|considering|thinking) (?:buying|selling|shorting|longing|aping|hodling)\b/,
  /\b(?:thinking|considering|planning|tempted|debating)(?: about| of| on)? (?:dumping|exiting|closing|getting (?:in|into|out)|going (?:long|short|all)|betting|holding|adding|loading|cashing|ditching|putting|investing|swapping)\b/,
  /^\W*(?:so )?(?:ape|aping|buy|sell|short|long|hodl|yolo|dump|invest(?:ing)?|go (?:long|short))(?: more| some| all)?(?: in| into| on| my)? <asset>/,
  /\b(?:ape|buy|sell|short|long|hodl|yolo|dump)\b.{0,30}\bor (?:nah|not|wait|pass)\b/,
  /\b(?:help me|how (?:do|can|to) (?:i|we)?) ?(?:make|get|earn|bet|invest|win|become)\b.{0,20}\b(?:money|rich|profit|wisely|millions?|bets?|wealthy)\b/,
  /\b(?:which|what)(?: \w+){0,3} (?:will|would) make me (?:rich|money)\b/,
  // Picks and tips.
  /\b(?:any|got) (?:\w+ )?(?:locks?|picks?|parlays?)\b|\b(?:your|hottest|best|top|favou?rite) (?:\w+ )?picks?\b|\bbest (?:pick|bet)\b(?!s)/,
  saysWords(`(?:safest|best|good|safe) investments?, recommend, recommendations?, advise, advice, suggest(?:ions?)?, tips?, pick (?:for )?me
    pick (?:a|the|one), winner for, easy (?:money|win), surefire, hot tip, safest bet, (?<!to a )sure thing, free money, guaranteed, investments?
    buy or sell, sell or (?:buy|hold), hold or sell, long or short, buy the dip, time to (?:buy|sell|get|ape|exit|short)
    (?:wen|when) (?:moon|lambo|pump|rich), to the moon, wag?mi, ngmi, gonna (?:pump|moon|dump|crash)`),
)

const moves = oneOf(
  'moon, pump, dump, crash, rise, fall, rally, recover, drop, double, explode, survive, outperform, 10x, 100x, hit, reach, keep, skyrocket, tank, bounce, bottom, win',
)
const things = oneOf('<asset>, it, this, that, they, crypto, the market, markets?, prices?, coin, token')

/** Whether a question asks where something will go. */
export const asksForForecast = saysAny(
  /<asset> (?:will|is going to|is gonna|gonna|could|can|might) (?:ever )?(?:go|moon|pump|dump|crash|rise|fall|rally|recover|drop|double|hit|reach|keep)\b/,
  new RegExp(
    String.raw`\b(?:will|is|are|does|would|going to|gonna|can) (?:the )?(?:price of )?${things}.{0,30}\b(?:${moves}|go(?:ing)? (?:up|down|to)|up (?:tomorrow|next))\b`,
  ),
  /\b(?:which|what) (?:\w+ ){0,2}(?:will|is going to|are going to|is gonna|could|might|can) (?:\d+x|moon|pump|dump|explode|double|rally|crash|go up|go down|rise|fall|win)\b/,
  /\bwhere (?:will|is) <asset>.{0,20}\b(?:be|going|headed)\b|\bhow high (?:can|will)\b/,
)

/** A price of the future. The assistant has no forecasts, and odds are the prices of others. */
export const asksForPrediction = saysAny(
  /\b(?:predict|forecast|outlook|price target|projection)\b.{0,40}<asset>/,
  /<asset>.{0,20}\b(?:price prediction|forecast|price target|outlook)\b/,
  /\b(?:what|where) will <asset> be\b|\b(?:predict|forecast) (?:the )?(?:price|market|future)\b/,
)
