import { numberOfWord, numberWords } from './periods.ts'
import { oneOf } from './phrases/phrases.ts'

const superlative =
  oneOf(`most, least, best, worst, top, highest, lowest, biggest, largest, smallest, sharpest, greatest, number one, no ?1
  #1, strongest, hottest, richest, loudest, surest, fastest, latest, newest, hardest, closest, nearest, longest
  weakest, cheapest, heaviest, boldest, quietest, busiest, fewest
  (?!interest|invest|request|honest|harvest|contest|suggest|digest|forest|protest)[a-z][a-z][a-z]+est`)
const singular =
  oneOf(`thing, dog, name, trader, bettor, altcoin, alt, memecoin, outcome, narrative, (?<!being |been |gets )bet
  speculator, handicapper, venue, prediction, person, guy, alert, holder, wallet, market, asset, coin, token, whale
  address, sniper, signal, gambler, forecaster, scalper, account, bot, project, crypto, one, arbitrageur, hunter
  backer, maker, chaser, punter, contract, player, sharp(?! \\w), gainer, loser, earner, performer, event, mover
  winner, degen`)
const plurals =
  oneOf(`shots, narratives, outcomes, bettors, predictions, topics, names, people, addys, performers, moves, trades, bets
  buys, sells, alerts, signals, updates, events, positions, movements, markets, contracts, traders, bettors, punters
  forecasters, wallets, addresses, accounts, coins, tokens, assets, cryptos, alts, altcoins, memecoins, projects
  holders, buyers, winners, losers, gainers, earners, performers, movers, hunters, makers, chasers, backers, whales
  sharps, snipers, scalpers, degens, bots`)
const counts = `(\\d{1,3}|${numberWords})`

const patterns = [
  `\\b(?:${superlative}|first|bottom|last|leading|limit|max|maximum|only|just)(?:(?: of| to) |[ -]?)${counts}\\b`,
  `\\b${counts}(?: \\w+)? (?:most|best|worst|top|biggest|largest|highest|lowest|latest|sharpest|strongest|newest|recent|least)\\b`,
  `\\b(?:give me|show(?: me)?|list|get me|name|limit(?: of| to)?|only|just|pull(?: up)?|the|which|what) ${counts}(?= |\\W*$)`,
  `(?<!\\b(?:of|on|across|in|over|at least|at most|more than|than|last|past) )(?<![$.\\d-])\\b${counts} (?!(?:days?|hours?|weeks?|months?|minutes?|quarters?|years?)\\b)(?:[a-z-]+ ){0,3}?${plurals}\\b`,
  `\\b${counts} (?:of (?:them|those|these)|rows|results|entries|items|names|max(?:imum)?|only|or so)\\b`,
  `^\\W*(?:(?:the|gimme|show|list|give me|get me|find|name|i want|i need) )*${counts} (?!(?:of|in|or|days?|hours?|weeks?|months?|minutes?|cents?|percent|dollars?|points?|category)\\b)[a-z]`,
  `[,;:.] (?:the )?(?:top |first |best )?${counts}(?: please| pls| only| max| rows| will do| is enough| is fine)?\\W*$`,
].map((pattern) => new RegExp(pattern, 'g'))

const timeUnit = /^[ -]?(?:days?|hours?|hrs?|weeks?|months?|minutes?|quarters?|years?|d|h|w|m|mo|k|%|percent)\b/

/** The number of rows that a question asks for; null if it asks for none in particular. */
export function limitOf(text: string): number | null {
  for (const pattern of patterns) {
    const match = [...text.matchAll(pattern)].find(
      (candidate) => !timeUnit.test(text.slice(candidate.index + candidate[0].length)),
    )
    const n = numberOfWord(match?.[1] ?? '')
    if (n !== null) return n >= 1 && n <= 50 ? n : null
  }
  return isSingular(text) ? 1 : null
}

const justOne =
  /\b(?:just|only|simply) (?:one|1|a single|the (?:first|top|best) one)\b|\bnumber one\b|\bno\.? ?1\b|#1\b|\bthe single\b|\bwho(?:'s| is|s)? (?:tops|leads|leading|winning|on top|in the lead|first|ahead)\b/

const asksForOne = new RegExp(
  [
    `\\b(?:which|what) (?:\\w+[ -]){0,3}${singular}\\b(?! (?:are|have|were|do|${plurals})\\b).*\\b${superlative}\\b`,
    `\\b(?:which|what|who)(?: is|'s|s| was| has| had| made| makes| earned| lost| won| gained| gets| got)(?: \\w+){0,4} ${superlative}\\b(?! \\w*s\\b)`,
    `\\b(?:which|what) ${singular} (?:is|has) (?:everyone|everybody|the crowd|the market)\\b`,
    `(?<!\\b(?:people|those|ones|${plurals}) )\\bwho(?:se \\w+)? (?!are\\b|were\\b|the\\b)\\w+(?: \\w+){0,4} ${superlative}\\b(?! \\w*s\\b)`,
    `\\b(?:which|what) (?:\\w+ )?(?:trader|bettor|wallet|market|asset|coin|token|whale|address)(?:'s)? .*\\b${superlative}\\b`,
    `^(?:what(?:'s| is|s) )?(?:the )?${superlative} (?:win ?rate|hit rate|pnl|profit|clv|volume|mindshare|score|return)\\b(?!.*\\b(?:traders|bettors|wallets|markets|assets|coins)\\b(?! (?:on|in)\\b).*\\?)(?= (?:of|among|for|on|in|across|over|this|ever|right|now)\\b|\\W*$)`,
    `(?:^\\W*|\\b(?:the|a|an|one|single|me|name|find) )${singular} (?:with|that|which|who|whose|having) (?:\\w+ ){0,4}${superlative}\\b`,
    `^\\W*(?:the )?${singular} of the (?:day|week|month|quarter|year)\\b`,
    `\\b${superlative} (?:long )?shot\\b`,
    `\\b(?:the|single|a|our|your) ${superlative}(?:[ -]\\w+){0,4} ${singular}\\b(?! ${plurals}\\b)`,
    `\\b${superlative}(?:[ -]\\w+){0,3} ${singular}\\b(?! ${plurals}\\b)`,
  ].join('|'),
)

/** Whether a superlative asks for one thing: `the most profitable trader`, not `the most profitable traders`. */
const isSingular = (text: string): boolean =>
  justOne.test(text) || (asksForOne.test(text) && !/\b(who|which|what) are\b|\blist\b/.test(text))
