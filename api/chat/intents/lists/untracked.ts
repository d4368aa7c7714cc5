import { oneOf, saysWords } from '#api/chat/reading/phrases/phrases.ts'
import type { Reading } from '#api/chat/reading/reading.ts'

const attention = oneOf('mindshare, sentiment, attention, buzz, hype, momentum, mood')
const ofAll = oneOf(
  `all, the, any, each, every, assets?, coins?, tokens?, crypto, my, this, these, that, last, past, in, over`,
)
const lead = oneOf("is, are, how's, hows, has, does, did, was")

/** `mindshare of shiba`, `is cardano trending`, `hyperliquid sentiment`: one thing that is not tracked, and no list. */
export const asksOfUntracked = ({ text, foreign }: Reading): boolean =>
  ofUntracked.test(text) || (!ofAnyAsset(text) && foreign.some((word) => isSubject(word, text)))

/** `how's cardano doing`. */
export const asksHowItDoes = ({ text, foreign }: Reading): boolean =>
  foreign.some((word) =>
    new RegExp(String.raw`\b(?:how's|hows|how is) ${word} (?:doing|looking|trending)\b`).test(text),
  )

const ofUntracked = new RegExp(
  String.raw`\b(?:mindshare|sentiment|attention|buzz|hype) (?:of|for|on|around|about) (?!${ofAll}\b)[a-z]{2,}`,
)

const ofAnyAsset =
  saysWords(`coins?, tokens?, assets?, crypto, cryptos, alts?, altcoins?, memecoins?, which, who, who's, whos, what's, everyone
  people, narratives?`)

const isSubject = (word: string, text: string): boolean =>
  new RegExp(
    String.raw`\b${lead} ${word}\b|^\W*(?:what's |what is |show |the )*${word}(?:'s)? (?:\w+ )?${attention}\b`,
  ).test(text)
