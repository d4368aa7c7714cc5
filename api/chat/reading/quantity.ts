import { numberOfWord } from './periods.ts'

const superlative =
  '(?:most|least|best|worst|top|highest|lowest|biggest|largest|smallest|sharpest|greatest|number one|no ?1|#1|strongest|hottest|richest|loudest|surest|fastest|latest|newest)'
const singular =
  '(?:trader|bettor|wallet|market|asset|coin|token|whale|address|sniper|signal|gambler|forecaster|scalper|account|bot|project|crypto|one|arbitrageur|hunter|backer|maker|chaser|punter|contract|player|sharp(?! \\w)|gainer|loser|earner|performer|event|mover|winner|degen)'
const counts = '(\\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twelve)'

const first = new RegExp(
  `\\b(?:top|first|best|worst|bottom|biggest|largest|highest|latest|last|leading|sharpest|newest|strongest)[ -]${counts}\\b`,
)
const after = new RegExp(
  `\\b${counts}(?: \\w+)? (?:most|best|worst|top|biggest|largest|highest|lowest|latest|sharpest|strongest|newest|recent|least)\\b`,
)
const listed = new RegExp(
  `\\b(?:give me|show(?: me)?|list|get me|name|limit(?: of| to)?|only|just|pull(?: up)?|the|which|what) ${counts} (?!hours?|days?|weeks?|months?|minutes?)`,
)

/** The number of rows that a question asks for; null if it asks for none in particular. */
export function limitOf(text: string): number | null {
  const found = first.exec(text) ?? after.exec(text) ?? listed.exec(text)
  const isPeriod = found && new RegExp(`${found[0]}[ -](?:days?|hours?|hrs?|weeks?|months?|minutes?|d|h)\\b`).test(text)
  const n = found && !isPeriod ? numberOfWord(found[1] ?? '') : null
  if (n !== null) return n >= 1 && n <= 50 ? n : null
  return isSingular(text) ? 1 : null
}

const justOne =
  /\b(?:just|only|simply) (?:one|1|a single|the (?:first|top|best) one)\b|\bnumber one\b|\bno\.? ?1\b|#1\b|\bthe single\b/

const asksForOne = new RegExp(
  [
    `\\b(?:which|what) (?:\\w+[ -]){0,3}${singular}\\b(?! (?:are|have|were|do)\\b).*\\b${superlative}\\b`,
    `\\b(?:which|what|who)(?: is|'s|s| was| has| had| made| makes| earned| lost| won| gained| gets| got)(?: \\w+){0,4} ${superlative}\\b(?! \\w*s\\b)`,
    `\\b(?:the|single|a|our|your) ${superlative}(?:[ -]\\w+){0,4} ${singular}\\b`,
    `\\b${superlative}(?:[ -]\\w+){0,3} ${singular}\\b`,
  ].join('|'),
)

/** Whether a superlative asks for one thing: `the most profitable trader`, not `the most profitable traders`. */
const isSingular = (text: string): boolean =>
  justOne.test(text) || (asksForOne.test(text) && !/\b(who|which|what) are\b|\blist\b/.test(text))
