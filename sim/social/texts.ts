import { mix } from '#sim/random.ts'

import type { SocialAsset } from './world.ts'

/** The truth about the text of a post: its asset, its tone, and whether it names the asset by its symbol. */
export type Topic = { asset: SocialAsset; isBullish: boolean; isCashtag: boolean }

const bullish = [
  'looks strong and the breakout is close',
  'is going much higher from here, still buying',
  'has the best chart of the year, long and calm',
  'adoption keeps growing, very bullish on it',
]
const bearish = [
  'looks weak and support is about to break',
  'is going much lower from here, sold all of it',
  'has the worst chart of the year, short and calm',
  'keeps losing users, very bearish on it',
]
const everyday = [
  'the rain did not stop all morning',
  'my sister baked a cake with too many cherries',
  'we watched the old film about the sea again',
  'the train was late and nobody said a word',
]
const fillers = (
  'amber bridge candle daisy engine forest garden harbor island jacket kettle lantern meadow needle orchard pepper ' +
  'quarry ribbon saddle timber umbrella velvet willow yellow barrel cactus dinner eleven feather guitar hammer insect'
).split(' ')

/** The text of a post about an asset, or about nothing of the kind. Words of its own keep texts apart. */
export function textOf(topic: Topic | null, draw: number): string {
  const filler = Array.from({ length: 8 }, (_, n) => pick(fillers, mix(draw, n + 1))).join(' ')
  if (topic === null) return `${pick(everyday, draw)}, ${filler}`
  const { asset, isBullish, isCashtag } = topic
  const name = isCashtag ? `$${asset.symbol}` : asset.name
  return `${name} ${pick(isBullish ? bullish : bearish, draw)}, ${filler}`
}

/** The text that all bots of a campaign post, with an ending of its own for each. */
export const copypasta = ({ symbol }: SocialAsset, draw: number): string =>
  `FREE $${symbol} SIGNAL with 98% accuracy join our group now and do not miss the next big move ${draw.toString(36)}`

const pick = (list: readonly string[], draw: number): string => list[draw % list.length] ?? ''
