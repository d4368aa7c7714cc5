import { saysAny, saysWords, type Says } from '#api/chat/reading/phrases/phrases.ts'
import { venueNames } from '#api/chat/reading/venue_words.ts'

/** Whether a question is about a thing that no table has. A text in lower case. */
export const isOutside: Says = (text) => hasOtherTopic(text.replace(introduction, ''))

/** `I write a story on the election. What are the odds?`: the first sentence asks nothing. */
const introduction = /^\W*(?:i|we|i'm|i am|we're|we are|my|our)\b[^.!?]*[.!] (?=\S)/

/** General topics that no table holds. */
const general = `weather, temperature, rain, jokes?, poem, song, recipe, cook, news, headline, headlines, (?<!for an )article, translate
  write (?:me )?(?:a|an|some|code), code, python, javascript, sql, (?<!nobody needs an )essay, story, email address, phone, capital of
  president of, who is the (?:ceo|president|founder), who (?:founded|created|invented|made you|are you), birthday
  how old (?!(?:is|are) (?:the|your|this|these) (?:data|figures|numbers|info|information|stats|snapshot)), age of, movie, football, dinner, restaurant
  wikipedia, google, homework, math, calculate \\d, \\d+ ?[+*/x] ?\\d+, what time, what day, date today, meaning of life, chatgpt, openai
  are you (?:human|real|a bot|an ai), which model, private key, tax(?:es)?, legal`

/** Figures of finance. */
const finance = `market ?caps?, mcap, tvl, supply, circulating, gas(?: price| fees?)?, gwei, stock, stocks, nasdaq, s&p, dow, gold, forex, euro
  dollar, airdrops?, staking, yield, apy, apr, nft, nfts, ipo, earnings, interest rate of, correlation, dominance, ath, all[- ]time high price
  candles?, chart, charts, rsi, macd, moving average, order ?book, roi, sharpe ratio, drawdowns?, liquidity, funding rates?, open interest
  liquidations?, tokenomics, unlock(?:s|ed)?`

/** Projects and posts. */
const social = `github, followers, developers?, whitepaper, roadmap, tweets?, (?<!crypto )twitter, posts? (?:say|about|text), verbatim
  quote (?:me )?(?:a|an|the|some) (?:posts?|tweets?|texts?|users?|authors?), full text
  when (?:is|are|was) (?:the )?(?:next|last) (?!(?:update|refresh|snapshot|data))`

const hasOtherTopic = saysWords(general, finance, social)

/** Statistics, dates and quotations, which no table has whatever they are of. */
export const asksForOtherFigure = saysAny(
  saysWords(`correlat\\w*, covariance, regression, volatility, variance, standard deviation, sharpe, sortino, drawdowns?, kelly, value at risk
    p-?value, backtest\\w*, expected value, moving average, forecast error, brier`),
  // When a market ends.
  /\bwhen (?:do|does|did|will|is|are)\b.*\b(?:resolve|close|end|expire|settle|closing|ending|due)s?\b/,
  /\b(?:clos|end|expir|resolv|settl)(?:e|es|ing) (?:soon|next|today|tonight|tomorrow|first|this week|this month)\b/,
  /\b(?:end|expiry|expiration|resolution|closing|close) dates?\b/,
  // The words of a person.
  new RegExp(
    String.raw`\bwhat (?:does|did|do|has) (?!(?:the|people|everyone|everybody|bettors|traders|${venueNames}|crowd|markets?|it|this|that|you|<\w+)\b)[a-z]+(?: [a-z]+)? (?:think|thinks|say|says|said|tweet|tweeted|post|posted|believe)\b`,
  ),
)

/** Whether a question asks for the price of an asset. A text with its entities replaced. */
export const asksForPrice = saysAny(
  /\b(?:current |live |spot )?(?:price|cost|worth|value) (?:of|for) (?:a |an |one |1 )?<asset>/,
  /\b(?:how much (?:is|does)|what's|whats|what is) (?:a |one |1 )?<asset>(?: tokens?| coins?)? (?:worth|cost|trading|price|going for|at|selling)\b/,
  /\bhow much (?:is|for|are|does) (?:a|an|one|\d+) <asset>|<asset>(?:'s)? (?:spot |current |token |usd )?price\b/,
  /<asset> (?:in|to) (?:usd|dollars?|euros?|eur|gbp|pounds|yen)\b/,
)
