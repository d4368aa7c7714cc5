import { createRandom } from '#sim/random.ts'
import type { Micros } from '#time.ts'

/** An asset that people talk about. */
export type SocialAsset = {
  id: string
  symbol: string
  name: string
  /** Its planted share of the posts about assets, in [0, 1]; the shares of all assets sum to 1. */
  share: number
  /** The planted share of its posts that are bullish; the others are bearish. */
  bull: number
}

/** Many accounts that repeat one text about one asset. */
export type Campaign = { asset: number; from: Micros; to: Micros; n_bots: number; share: number }

/** A time in which a share of all posts is about one asset, each in its own words. */
export type Surge = { asset: number; from: Micros; to: Micros; share: number }

/** A network of people who post, with the truth about each post. All of it follows from the seed. */
export type SocialWorld = {
  seed: number
  /** The first event of each platform. */
  start: Micros
  /** The time between two events of the network. */
  step: Micros
  assets: readonly SocialAsset[]
  n_authors: number
  campaign: Campaign | null
  surge: Surge | null
}

const named: readonly (readonly [id: string, symbol: string, name: string])[] = [
  ['bitcoin', 'BTC', 'Bitcoin'],
  ['ethereum', 'ETH', 'Ethereum'],
  ['solana', 'SOL', 'Solana'],
  ['dogecoin', 'DOGE', 'Dogecoin'],
  ['cardano', 'ADA', 'Cardano'],
  ['chainlink', 'LINK', 'Chainlink'],
  ['uniswap', 'UNI', 'Uniswap'],
  ['avalanche-2', 'AVAX', 'Avalanche'],
]

export type SocialSettings = {
  seed: number
  start: Micros
  step?: Micros
  n_authors?: number
  campaign?: Campaign
  surge?: Surge
}

/** Makes a world: the shares of assets fall by about a third each, and each asset has a tone of its own. */
export function createSocialWorld({
  seed,
  start,
  step = 50_000,
  n_authors = 5_000,
  campaign,
  surge,
}: SocialSettings): SocialWorld {
  const random = createRandom(seed, 1)
  const weights = named.map((_, n) => 0.65 ** n * random.between(0.8, 1.25))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const assets = named.map(([id, symbol, name], n) => ({
    id,
    symbol,
    name,
    share: (weights[n] ?? 0) / sum,
    bull: random.between(0.3, 0.8),
  }))
  return { seed, start, step, assets, n_authors, campaign: campaign ?? null, surge: surge ?? null }
}

/** The asset at a place in [0, 1) of the planted shares. */
export function assetAt({ assets }: SocialWorld, place: number): number {
  let sum = 0
  for (const [n, { share }] of assets.entries()) {
    sum += share
    if (place < sum) return n
  }
  return assets.length - 1
}
