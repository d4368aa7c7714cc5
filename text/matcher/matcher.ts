import type { Asset } from '#text/dictionary/asset.ts'

import { isCashtag, readCashtag, settleCashtags } from './cashtags.ts'
import { indexAssets } from './index_assets.ts'
import { isId, matchId } from './match_ids.ts'
import type { Mention } from './mention.ts'
import { readName } from './names.ts'
import { mentionOf, settleGated, type Reading } from './reading.ts'
import { wordsOf } from './tokens.ts'

/** A text, with the topic and the assets that its platform states. */
export type Post = {
  text: string
  /** Whether the channel or the platform is about crypto, so that each of its posts is. */
  is_crypto: boolean
  /** Ids of assets that the platform names. */
  native_assets?: readonly string[]
}

/** Gives the mentions of a post in the order of the text, those of the platform first. */
export type Matcher = (post: Post) => Mention[]

/**
 * Makes the matcher of the assets that hold at one instant (`assetsAt`). Bare symbols that are words, such as ONE or
 * LINK, never count. Names within addresses, handles and names of forums do not count either.
 */
export function createMatcher(assets: readonly Asset[]): Matcher {
  const index = indexAssets(assets)
  return ({ text, is_crypto, native_assets = [] }) => {
    const reading: Reading = {
      ...wordsOf(text),
      index,
      text,
      isCrypto: is_crypto,
      mentions: [],
      cashtags: [],
      gated: [],
      context: new Set(),
      excluded: new Set(),
      hasStock: false,
    }
    for (const id of native_assets) {
      const asset = index.byId.get(id)
      if (asset !== undefined) reading.mentions.push(mentionOf(index, asset, 1, -1, -1))
    }
    for (let word = 0; word < reading.starts.length;) word += readWord(reading, word)
    settleCashtags(reading)
    settleGated(reading)
    return reading.mentions.sort((a, b) => a.start - b.start)
  }
}

/** Reads the mention that begins at a word, if any. Returns the number of words that it takes. */
function readWord(reading: Reading, word: number): number {
  const { lower, text, index } = reading
  const [start, end] = [reading.starts[word] ?? 0, reading.ends[word] ?? 0]
  if (isId(lower, start, end)) {
    const asset = matchId(index, text.slice(start, end))
    if (asset !== undefined) reading.mentions.push(mentionOf(index, asset, 1, start, end))
    return 1
  }
  return isCashtag(lower, start) ? readCashtag(reading, start, end) : readName(reading, word)
}
