import { mix } from '#sim/random.ts'
import type { Micros } from '#time.ts'

import { copypasta, textOf } from './texts.ts'
import { assetAt, type SocialWorld } from './world.ts'

/** A post of the network. `asset` is the index of its planted asset; null: it is about something else. */
export type NetworkPost = {
  author: number
  text: string
  asset: number | null
  isBullish: boolean
  isBot: boolean
  /** The number of the event whose post it replies to or quotes. */
  parent: number | null
  quoted: number | null
}

/** An event of the network. `subject` is the number of the event whose post it concerns. */
export type NetworkEvent = { n: number; at: Micros } & (
  | { is: 'post'; post: NetworkPost }
  | { is: 'like' | 'repost'; author: number; subject: number }
  | { is: 'deletion'; subject: number }
  | { is: 'author gone'; author: number }
  | { is: 'identity' | 'follow'; author: number }
)

const perMille = { like: 640, repost: 740, post: 960, deletion: 970, gone: 971, identity: 980 }
/** The shares of posts that are about an asset, reply, and quote. */
const shares = { about: 0.2, reply: 0.25, quote: 0.05, cashtag: 0.6 }
/** Posts are liked, answered and deleted within so many events. */
const REACH = 4_000

/** The n-th event of a world, from 0. It follows from the seed alone, so a server holds no events. */
export function eventAt(world: SocialWorld, n: number): NetworkEvent {
  const draw = mix(mix(world.seed, 11), n)
  const [at, author] = [world.start + n * world.step, mix(draw, 2) % world.n_authors]
  const kind = draw % 1000
  if (isPost(world, n)) return { n, at, is: 'post', post: postAt(world, n) }
  const subject = earlierPost(world, n, mix(draw, 3))
  if (subject === null || kind >= perMille.identity) return { n, at, is: 'follow', author }
  if (kind < perMille.repost) return { n, at, is: kind < perMille.like ? 'like' : 'repost', author, subject }
  if (kind < perMille.deletion) return { n, at, is: 'deletion', subject }
  if (kind < perMille.gone) return { n, at, is: 'author gone', author: postAt(world, subject).author }
  return { n, at, is: 'identity', author }
}

const kindAt = ({ seed }: SocialWorld, n: number): number => mix(mix(seed, 11), n) % 1000
const isPost = (world: SocialWorld, n: number): boolean => {
  const kind = kindAt(world, n)
  return kind >= perMille.repost && kind < perMille.post
}

/** The number of a post within the reach before an event; null near the start of the world. */
function earlierPost(world: SocialWorld, n: number, draw: number): number | null {
  const reach = Math.min(REACH, n)
  for (let earlier = n - 1 - (draw % Math.max(reach, 1)); earlier >= 0; earlier--)
    if (isPost(world, earlier)) return earlier
  return null
}

/** The post of an event that is one. */
export function postAt(world: SocialWorld, n: number): NetworkPost {
  const draw = mix(mix(world.seed, 13), n)
  const at = world.start + n * world.step
  const { campaign, surge } = world
  if (campaign !== null && at >= campaign.from && at < campaign.to && share(mix(draw, 9)) < campaign.share) {
    const bot = world.n_authors + (mix(draw, 8) % campaign.n_bots)
    const asset = world.assets[campaign.asset]
    if (asset === undefined) throw new Error(`campaign: asset ${campaign.asset}; expected an asset of the world`)
    const text = copypasta(asset, draw)
    return { author: bot, text, asset: campaign.asset, isBullish: true, isBot: true, parent: null, quoted: null }
  }
  const isSurge = surge !== null && at >= surge.from && at < surge.to && share(mix(draw, 10)) < surge.share
  const index = isSurge ? surge.asset : assetAt(world, share(mix(draw, 1)))
  const planted = isSurge || share(mix(draw, 2)) < shares.about ? world.assets[index] : undefined
  const isBullish = share(mix(draw, 3)) < (planted?.bull ?? 0)
  const topic =
    planted === undefined ? null : { asset: planted, isBullish, isCashtag: share(mix(draw, 4)) < shares.cashtag }
  const place = share(mix(draw, 5))
  const other = place < shares.reply + shares.quote ? earlierPost(world, n, mix(draw, 6)) : null
  return {
    author: mix(draw, 7) % world.n_authors,
    text: textOf(topic, draw),
    asset: planted === undefined ? null : index,
    isBullish,
    isBot: false,
    parent: place < shares.reply ? other : null,
    quoted: place < shares.reply ? null : other,
  }
}

const share = (hash: number): number => hash / 0x1_0000_0000
