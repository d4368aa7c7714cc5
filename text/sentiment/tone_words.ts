import { hashOf } from './hash.ts'

const hashes = (words: string): ReadonlySet<number> => new Set(words.split(' ').map(hashOf))

/** Words that turn the next ones around, without apostrophes as the tokenizer gives them. */
export const negations = hashes(
  'not no never dont cant wont isnt arent wasnt doesnt didnt shouldnt wouldnt couldnt aint without neither nor hardly',
)

/** Words of rising prices and good news, a list of our own. */
export const risingWords = hashes(
  'surge surges surged soar soars soared jump jumps jumped rally rallies rallied gain gains gained rise rises rose climb climbs climbed beat beats topped tops upgrade upgraded upgrades raise raises raised boost boosts boosted record high highs profit profits growth grows bullish buy buying long calls moon breakout rebound rebounds rebounded recover recovers recovery outperform strong stronger approve approves approved approval launch launches partnership partners adopt adoption adopts win wins milestone expands expansion invest invests investment backs backed success successful support bull up higher undervalued accumulate rocket pump squeeze optimistic',
)

/** Words of falling prices and bad news, a list of our own. */
export const fallingWords = hashes(
  'fall falls fell drop drops dropped plunge plunges plunged sink sinks sank slump slumps slumped tumble tumbles tumbled slide slides slid crash crashes crashed crashing decline declines declined lose loses lost loss losses miss misses missed cut cuts downgrade downgraded downgrades lower low lows bearish sell selling short puts dump dumping dumped hack hacked hackers hacks exploit stolen steal theft scam scams fraud ponzi lawsuit sues sued charges charged fine fined fines probe investigation investigates ban bans banned warn warns warning risk risks fear fears weak weaker bankrupt bankruptcy collapse collapses collapsed liquidated liquidation liquidations halt halts suspends suspended delay delays delayed layoffs recession bubble overvalued bear down worthless junk trash dead dying falling rejected rejects crackdown illegal arrest arrested seized seizes attack outflows',
)

/** Names of the best known assets stand for any asset, so that no weight learns that one of them is good. */
export const assetNames = hashes(
  'bitcoin bitcoins btc ethereum eth ether ripple xrp litecoin ltc dogecoin doge solana sol cardano ada shib bnb matic avax bch tesla tsla apple aapl',
)
