import type { LakeReader } from '#lake/reader.ts'
import { createAnnotator } from '#text/annotate.ts'
import type { Asset } from '#text/dictionary/asset.ts'
import { assetsAt } from '#text/dictionary/shipped.ts'
import { createMatcher } from '#text/matcher/matcher.ts'
import { createTone, shippedWeights } from '#text/sentiment/tone.ts'
import type { Micros } from '#time.ts'

import { dictionaryIn } from './dictionary.ts'
import type { MentionsOf } from './post_rows.ts'

/**
 * Makes the function from posts to what they mention, for the units from an instant on. The assets are those that hold
 * at the instant of the post.
 */
export async function mentionsIn(lake: LakeReader, since: Micros): Promise<MentionsOf> {
  const dictionary = await dictionaryIn(lake, since)
  return (post, from) => {
    const assets = dictionary(from)
    const annotatorAt = annotators.get(assets) ?? createDatedAnnotator(assets)
    annotators.set(assets, annotatorAt)
    const { platform, post_id, ts, text, is_crypto = false, native_assets = [], native_label = null } = post
    return annotatorAt(ts)({ text, is_crypto, native_assets, native_label }).map((mention) => ({
      platform,
      post_id,
      asset_id: mention.asset_id,
      ts,
      tier: mention.tier,
      confidence: BigInt(Math.round(mention.confidence * 1e6)),
      n_assets: mention.n_assets,
      bull_rate: millionths(mention.bull_rate),
      bear_rate: millionths(mention.bear_rate),
      model: tone().version,
    }))
  }
}

type Annotate = ReturnType<typeof createAnnotator>

/** Making a matcher takes longer than reading the posts of a read with it. */
const annotators = new WeakMap<readonly Asset[], ReturnType<typeof createDatedAnnotator>>()

/** An annotator for each time between two dates of assets, made when it is needed. */
function createDatedAnnotator(assets: readonly Asset[]): (ts: Micros) => Annotate {
  const dates = [...new Set(assets.map(({ valid_at }) => valid_at))].sort((a, b) => a - b)
  const made = new Map<Micros, Annotate>()
  return (ts) => {
    const date = dates.findLast((valid_at) => valid_at <= ts) ?? -Infinity
    const annotate = made.get(date) ?? createAnnotator(createMatcher(assetsAt(assets, date)), tone().toneOf)
    made.set(date, annotate)
    return annotate
  }
}

/** Rounded down, so that the rates of a post sum to at most 1. */
const millionths = (rate: number): bigint => BigInt(Math.floor(rate * 1e6))

let loaded: { toneOf: ReturnType<typeof createTone>; version: string } | undefined

/** The shipped model, read once. */
function tone(): NonNullable<typeof loaded> {
  if (loaded !== undefined) return loaded
  const weights = shippedWeights()
  loaded = { toneOf: createTone(weights), version: weights.version }
  return loaded
}
