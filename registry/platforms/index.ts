import { bluesky } from './bluesky.ts'
import { farcaster } from './farcaster.ts'
import { fourchan } from './fourchan.ts'
import { news } from './news.ts'
import { nostr } from './nostr.ts'
import { reddit } from './reddit.ts'
import { stocktwits } from './stocktwits.ts'
import { telegram } from './telegram.ts'
import { x } from './x.ts'

/** All platforms. A new platform is a file and a line here. */
export const platforms = [bluesky, farcaster, fourchan, news, nostr, reddit, stocktwits, telegram, x] as const

/** A platform with a weight. Posts of another one would count nowhere. */
export type PlatformId = (typeof platforms)[number]['id']

const weights = platforms.reduce((sum, { weight }) => sum + weight, 0)

/** The part of each platform in the sum of all weights. */
export const platformWeights: readonly { platform: PlatformId; weight: number }[] = platforms.map(({ id, weight }) => ({
  platform: id,
  weight: weight / weights,
}))
