import type { NewRow } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import { didOf, rkeyOf } from '#sim/social/bluesky_wire/frames.ts'
import { articlesOf, guidOf, outletNames, type OutletName } from '#sim/social/feed_wire/feeds.ts'
import { eventAt } from '#sim/social/network.ts'
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
 * Stores a dictionary, and the posts of a world about assets up to an instant, as if Bluesky and the news had been
 * followed since its start. Their upstreams show hours, and mindshare rests on weeks. Returns the number of posts.
 */
export async function storePastPosts(
  lake: Lake,
  world: SocialWorld,
  { to, hash, assets = shippedAssets() }: { to: Micros; hash: AuthorIds; assets?: readonly Asset[] },
): Promise<number> {
  const from = world.start
  await storeAssets(lake, assets, from - 2 * HOUR, [])
  const parts: Past[] = [
    { source: 'bluesky_jetstream', kind: 'hour', part: 'bluesky', posts: networkPosts(world, to, hash), authors: [] },
    ...outletNames.map((outlet): Past => ({
      source: 'news_feeds',
      kind: 'observation',
      part: outlet,
      posts: articles(world, outlet, to),
      authors: [{ platform: 'news', author: outlet, seen_at: from, ...unknown, is_outlet: true }],
    })),
  ]
  const mentionsOf = await lake.read((reader) => mentionsIn(reader, from))
  for (const { posts, authors, ...named } of parts) {
    const unit = { ...named, key: '', from, to, params: [] }
    const rows = { ...rowsOfPosts(posts, mentionsOf, from), authors }
    const contents = { rejected: [], precedence: 10, proof: 'the past of a simulated world', asked: [], checkedAt: to }
    await storeUnit(lake, unit, { ...contents, rows, state: 'done', to })
  }
  return parts.reduce((sum, { posts }) => sum + posts.length, 0)
}

type Past = {
  source: string
  kind: 'hour' | 'observation'
  part: string
  posts: ReadPost[]
  authors: NewRow<'authors'>[]
}
const unknown = { n_followers: null, n_following: null, n_posts: null, joined_at: null, score: null }

/** The posts of the network about assets, as `bluesky_jetstream` names them. */
function networkPosts(world: SocialWorld, to: Micros, hash: AuthorIds): ReadPost[] {
  const posts: ReadPost[] = []
  for (let n = 0; world.start + n * world.step < to; n++) {
    const event = eventAt(world, n)
    if (event.is !== 'post' || event.post.asset === null) continue
    const author = hash('bluesky', didOf(world, event.post.author))
    const { at: ts, post } = event
    posts.push({ platform: 'bluesky', post_id: `${author}/${rkeyOf(n)}`, ts, author, kind: 'post', text: post.text })
  }
  return posts
}

/** The articles of an outlet, as `news_feeds` names them. */
const articles = (world: SocialWorld, outlet: OutletName, to: Micros): ReadPost[] =>
  articlesOf(world, outlet, world.start, to).map(({ n, at: ts, text }) => ({
    platform: 'news',
    post_id: `${outlet}/${guidOf(outlet, n)}`,
    ts,
    author: outlet,
    kind: 'post',
    text: `${text.split(',')[0]}\n${text} & more`,
    is_crypto: true,
  }))
