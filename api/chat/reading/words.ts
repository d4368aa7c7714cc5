import { venueIds } from '#registry/venues/index.ts'

/**
 * The words that the intents look for. A misspelled word of a question is read as the nearest of them, so that cues are
 * written once and correctly.
 */
const vocabulary = `
mindshare sentiment attention buzz hype narrative momentum trending bullish bearish neutral social talked mentioned popular
gaining losing gainers losers rising falling climbing dropping rank ranked ranking assets asset coins coin tokens token crypto
market markets odds probability chance chances likely likelihood unlikely prediction predictions ${venueIds.join(' ')}
volume traded trading open closed resolved resolve resolves price prices question outcome betting bettor bettors gamblers forecasters predictor predictors
trader traders leaderboard smartest smallest sharp sharps sharpest profitable profit profits winners winning losers best worst highest lowest
biggest largest most least win rate clv closing line value archetype archetypes whale whales maker makers arbitrageur
arbitrageurs momentum chaser chasers longshot longshots hunter hunters favorite favorites favourite favourites backer backers
generalist generalists sniper snipers scalper scalpers accumulator accumulators dormant unproven wallet wallets address
addresses chain chains onchain ethereum solana arbitrum optimism polygon avalanche holdings holding holds portfolio balance
realized realised tags smart money fresh stable bots sandwich wash early buyers signal signals feed latest recent happening
happened activity events changed update updates today yesterday hour hours minutes week weeks month months quarter days
account tier plan limit limits requests quota coverage fresh data sources venues watchlist watchlists compare comparison
versus difference better between against higher lower evidence behind explain reason because define definition meaning
calculated computed measured should recommend advice invest create delete remove change alert alerts notify upgrade
profile record performance history performing discover deutsch democrat hurricane recession inflation presidential election
championship interest starship bitcoin dogecoin chainlink uniswap toncoin harmony`
  .split(/\s+/)
  .filter((word) => word !== '')

/** Ordinary words that are near to a cue and are not meant as one. */
const ordinary = new Set(
  `want wants what when where which while will would with without wont were well went week weak work works word words world
these those there their they them then than that this have having has had here hers his how however about above across after
again all also always among and another any anyone anything are around ask asked asking away back bad because been before being
below bet bets big bit both bring brought but buy buying came can cant case come comes coming could did does doing done dont
down each either else end ends even ever every everyone everything far few find first five follow for four from get gets
getting give given gives going gone good got great guy guys happen happens hard hey hi hello high hit hits hold hot idea
into its just keep kind know last late lately later least left less let like list lists little live long look looking looks
lot lots low made make makes making many may maybe me mean means might mine more move moved moves moving much must my name
near need needs new news next nice not now number off often old once one only onto other others our out over own paid part
past pay people person place play played please plus point points pull put quite rather read real really right run said same
say says see seem seems seen sell sells selling send sent set shall shape share shares she short show shows side since six
small so some someone something soon still stop stuff such sum sure take taken takes talk talking ten thank thanks the
thing things think third three through time times together tons too took total toward try two under until up upon us use
used user using very via wait was watch way ways who whole whom whose why win wins won wonder worth year years yes yet you
your yours land lands landing lead leads leading line lines order orders rates trade trades loss losses lose lost money chase
stake state status start starts store story price priced stocks stock sports sport weather joke poem write code tweet tweets
post posts cap gas tracking track tracked follow following followed subscription subscriptions subscribe configured newly created creation
  figure figures worked working working decide decided determine label labels labeled classified classify quote quoted cash changed change
  hands hand dollars dollar going apart claim claims check checked checking count counts counted ranked card cards standings table tables chart
  display provide fetch hear heard interested interest curious wonder wondering everybody nobody sure certain certainty currently recently
  usually actually basically roughly exactly possibly maybe perhaps especially moment minute second lately tonight tomorrow morning evening
  single double whole entire total overall several various different similar another example examples detail details summary overview
  report reports reported number numbers value worth ratio range ranges level levels list listed listing order ordered sorted sort filter
  name names named call called calls question answer help helps guess believe feel feeling feelings sense idea ideas opinion view views
  doing going having being making taking using giving getting keep keeping kept bring turn turned turns start started starting begin began
  quick quickly fast faster slow slowly early late soon long short high higher low lower deep steep strong stronger weak weaker heavy light
  shark sharks steam presence folks folk crowd crowds chance season seasons spots spot stick sticks traction stack stacks truth cause causes
  trigger triggers triggered driver drivers drove drive reasons justify slump souring yapping airtime slice
  trace traces tried tries tries tale tales taken holder holders holing closer close closes opens opener risky rises rise risen rising gained
  prior price prices prime prize prizes profile profiles promise proven source sources chair chairs change changes charge stable tables marked
  marker makers maker taker takers swing swings wing wings single signed sign signs votes vote voters house state states fee fees swap swaps bridge mint burn average median`.split(
    /\s+/,
  ),
)

const byLength = new Map<number, string[]>()
for (const word of new Set(vocabulary)) byLength.set(word.length, [...(byLength.get(word.length) ?? []), word])
const isKnown = new Set(vocabulary)

/** Whether a word is a cue or an everyday word. */
export const isOrdinary = (word: string): boolean => isKnown.has(word) || ordinary.has(word)

/** The nearest cue of a misspelled word; a known, ordinary or short word is itself. */
export function spelled(word: string): string {
  if (
    word.length < 5 ||
    isOrdinary(word) ||
    isOrdinary(`${word}s`) ||
    isOrdinary(word.replace(/(?:s|es|d|ed|ing)$/, '')) ||
    !/^[a-z]+$/.test(word)
  )
    return word
  return (
    nearestOf(
      word,
      candidatesFor(word, (length) => byLength.get(length) ?? []),
    ) ?? word
  )
}

/** The nearest of some words within one error, or two from ten letters on; null if none or several are. */
export function nearestOf(word: string, words: readonly string[]): string | null {
  const most = word.length >= 10 ? 2 : 1
  const near = words
    .map((candidate) => ({ candidate, distance: distance(word, candidate, most) }))
    .filter((entry) => entry.distance <= most)
  const least = Math.min(...near.map((entry) => entry.distance))
  const best = near.filter((entry) => entry.distance === least)
  const alike = best.filter(({ candidate }) => candidate.at(-1) === word.at(-1))
  const [only, ...others] = best.length === 1 ? best : alike
  return others.length === 0 ? (only?.candidate ?? null) : null
}

/** Words of nearly the same length that begin with the same letter. */
const candidatesFor = (word: string, ofLength: (length: number) => readonly string[]): string[] =>
  [-2, -1, 0, 1, 2].flatMap((more) => ofLength(word.length + more)).filter((candidate) => candidate[0] === word[0])

/** Insertions, deletions, replacements and swaps of neighbours, or more than `most`. */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let [before, above]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, n) => n)]
  for (let row = 1; row <= a.length; row++) {
    const line = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const swapped = isSwap ? (before[column - 2] ?? 0) + 1 : replaced
      line.push(Math.min(replaced, swapped, (above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1))
    }
    ;[before, above] = [above, line]
  }
  return above[b.length] ?? 0
}
