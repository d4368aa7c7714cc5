/**
 * A question with the short forms of chats written out and without its courtesies, so that cues are written once. A
 * text of courtesies alone is returned as it is.
 */
export function writtenOut(text: string): string {
  const long = forms.reduce((rest, [pattern, word]) => rest.replaceAll(pattern, word), text)
  const bare = courtesies.reduce((rest, courtesy) => rest.replaceAll(courtesy, ' '), long)
  const plain = bare
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s,.!;:-]+/, '')
    .trim()
  return /\w/.test(plain) ? plain : text
}

/** A short form counts as a whole word: no part of an id, of an address or of a cashtag. */
const whole = (form: string): RegExp => new RegExp(`(?<![\\w$:/'.-])(?:${form})(?![\\w:/'-]|\\.\\w)`, 'gi')

const words: readonly (readonly [form: string, word: string])[] = [
  ['rn|atm', 'right now'],
  ['avg', 'average'],
  ['wks?', 'week'],
  ['mths?|mnths?', 'month'],
  ['qtr', 'quarter'],
  ['hrs?', 'hours'],
  ['mins', 'minutes'],
  ['yday|yest', 'yesterday'],
  ['2day|tdy', 'today'],
  ['mkts?', 'markets'],
  ['vols?', 'volume'],
  ['probs', 'probabilities'],
  ['shd', 'should'],
  ['wr', 'win rate'],
  ['ms', 'mindshare'],
  ['wls?', 'watchlist'],
  ['sigs', 'signals'],
  ['px', 'price'],
  ['v', 'vs'],
  ['smrt', 'smart'],
  ['mcap', 'market cap'],
  ['p/l|p&l', 'pnl'],
  ['addy|addr', 'address'],
  ['addys|addies|addrs', 'addresses'],
  ['betters', 'bettors'],
  ['ppl|peeps', 'people'],
  ['u', 'you'],
  ['ur', 'your'],
  ['r', 'are'],
  ['wat|wut|wot', 'what'],
  ['da', 'the'],
  ['wtf', 'what'],
  ['goat', 'best one'],
  ['cuz|coz|b/c', 'because'],
  ['alltime', 'all time'],
  ['ct', 'crypto twitter'],
  ['excl|ex', 'excluding'],
]

const forms: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w$])w\/o\b/gi, 'without'],
  [/(?<![\w$])w\/(?!\w*\/)\s?/gi, 'with '],
  [/(?<![\w$'.])y(?= [a-z<$])/gi, 'why'],
  [/\bsent(?=\W*(?:$|\d+ ?[dw]\b))/gi, 'sentiment'],
  [/\b(?:not|rather than|instead of)(?: by| on)? (?:clv|pnl|volume|win[ -]?rate|profits?|money|odds)\b/gi, ' '],
  [/\b(biggest|largest|fattest|worst) Ls\b/g, 'biggest losers'],
  [/\b(biggest|largest|fattest|worst) L\b/g, '$1 loser'],
  [/\b(\d{1,4})\s?(?:hrs?|hours?)\b/gi, '$1 hours'],
  [/\b(\d{1,4})\s?mins?\b/gi, '$1 minutes'],
  ...words.map(([form, word]) => [whole(form), word] as const),
]

const asking =
  '(?:show|give|get|find|list|let me know|t(?:ell)(?: me)?(?! me (?:when|if|once)| when| if| once)|t(?:elling)(?: me)?(?! when| if| once))'

const courtesies: readonly RegExp[] = [
  new RegExp(
    `\\b(?:could|can|would|will) (?:you|u|someone|anybody|anyone)(?: (?:please|pls|kindly|possibly|perhaps|maybe|mind|be able to|be so kind as to))* (?=${asking})(?:t(?:ell)(?:ing)? me(?! (?:when|if|once)))?`,
    'gi',
  ),
  /\b(?:i(?:'d| would)? (?:like|love|want|need|wanna)(?: to (?:know|see|find out|learn))|i(?:'m| am| was) (?:just )?(?:wondering|curious)(?: about| to know)?|just (?:wondering|curious)|(?<!what )do you (?:happen to )?know|any idea|quick question)\b[,:]?/gi,
  /^\W*(?:hi|hello|hey|yo|gm|greetings|good (?:morning|evening|afternoon))(?: (?:there|all|team|everyone|folks|guys|mate|friend|again|bot))?\b[,!. ]+(?=\S+\s+\w)/gi,
  /(?<=\w\W*\s)\b(?:please|pls|plz)\W*$/gi,
  /[,.!?]?\s*\b(?:thanks(?: a lot| so much| in advance)?|thank you(?: very much| so much)?|thx|ty|cheers|much appreciated|many thanks)\b[!. ]*$/gi,
]
