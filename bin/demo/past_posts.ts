import type { Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import { platforms, type PlatformId } from '#registry/platforms/index.ts'
import type { PastPart } from '#sim/social/past_part.ts'
import { pastParts } from '#sim/social/past_parts.ts'
import { createSocialWorld, type SocialWorld } from '#sim/social/world.ts'
import type { AuthorIds } from '#sources/social/author_ids.ts'
import { mentionsIn } from '#sources/social/mentions.ts'
import { rowsOfPosts, type ReadPost } from '#sources/social/post_rows.ts'
import { storeAssets } from '#sources/social/store_assets.ts'
import type { Asset } from '#text/dictionary/asset.ts'
import { shippedAssets } from '#text/dictionary/shipped.ts'
import { DAY, HOUR, SECOND, type Micros } from '#time.ts'

/** Mindshare of 30 days and its change rest on 60 days. */
const PAST_DAYS = 61

/** The posts of a demo up to and after an instant: one event in 30 seconds, and a surge of Solana at the end. */
export const demoPosts = (seed: number, now: Micros): SocialWorld =>
  createSocialWorld({
    seed,
    start: now - PAST_DAYS * DAY,
    step: 30 * SECOND,
    n_authors: 2_000,
    surge: { asset: 2, from: now - 5 * HOUR, to: now + HOUR, share: 0.25 },
  })

/**
 * Stores a dictionary, and the posts of a world about assets up to an instant, as if the platforms of `pastParts` had
 * been followed since its start. Their upstreams show hours, and mindshare rests on weeks. Returns the number of posts.
 */
export async function storePastPosts(
  lake: Lake,
  world: SocialWorld,
  { to, hash, assets = shippedAssets() }: { to: Micros; hash: AuthorIds; assets?: readonly Asset[] },
): Promise<number> {
  const from = world.start
  await storeAssets(lake, assets, from - 2 * HOUR, [])
  const mentionsOf = await lake.read((reader) => mentionsIn(reader, from))
  let n_posts = 0
  for (const past of pastParts) {
    const posts = readPosts(past, world, { to, hash })
    const { source, kind, part, isOutlet } = past
    const platform = platformOf(past)
    const authors = isOutlet ? [{ platform, author: part, seen_at: from, ...unknown, is_outlet: true }] : []
    const rows = { ...rowsOfPosts(posts, mentionsOf, from), authors }
    const contents = { rejected: [], precedence: 10, proof: 'the past of a simulated world', asked: [], checkedAt: to }
    await storeUnit(
      lake,
      { source, kind, part, key: '', from, to, params: [] },
      { ...contents, rows, state: 'done', to },
    )
    n_posts += posts.length
  }
  return n_posts
}

const unknown = { n_followers: null, n_following: null, n_posts: null, joined_at: null, score: null }

/** The posts of a part, as its source names them. */
const readPosts = (past: PastPart, world: SocialWorld, { to, hash }: { to: Micros; hash: AuthorIds }): ReadPost[] => {
  const platform = platformOf(past)
  return past.posts(world, to).map(({ ts, author: name, key, text }) => {
    const author = past.isOutlet ? name : hash(platform, name)
    const post: ReadPost = { platform, post_id: `${author}/${key}`, ts, author, kind: 'post', text }
    return past.isOutlet ? { ...post, is_crypto: true } : post
  })
}

function platformOf({ platform }: PastPart): PlatformId {
  const match = platforms.find(({ id }) => id === platform)
  if (match === undefined) throw new Error(`platform ${platform}: unknown; expected one of the registry`)
  return match.id
}
