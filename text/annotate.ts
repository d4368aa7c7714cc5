import type { Matcher, Post } from './matcher/matcher.ts'
import { confidence, strongest, type Tier } from './matcher/mention.ts'
import type { Tone } from './sentiment/tone.ts'

/**
 * An asset that a post names, and the tone of the post: the columns of a row of the dataset `mentions` beside its ids.
 */
export type Annotation = {
  asset_id: string
  tier: Tier
  /** The certainty of the tier, from 0 to 1. */
  confidence: number
  /** The assets that the post names. */
  n_assets: number
  bull_rate: number
  bear_rate: number
}

/** A post with the label that its author gave it on the platform, such as `Bullish`. */
export type LabelledPost = Post & { native_label?: string | null }

/**
 * Makes the function from posts to the assets that they name, one entry an asset. The tone is that of the author's
 * label, else that of the text; it is the same for all assets of a post.
 */
export function createAnnotator(match: Matcher, toneOf: (text: string) => Tone): (post: LabelledPost) => Annotation[] {
  return (post) => {
    const mentions = strongest(match(post))
    if (mentions.length === 0) return []
    const { bull_rate, bear_rate } = labelRates(post.native_label) ?? toneOf(post.text)
    return mentions.map(({ asset_id, tier }) => ({
      asset_id,
      tier,
      confidence: confidence[tier],
      n_assets: mentions.length,
      bull_rate,
      bear_rate,
    }))
  }
}

function labelRates(label: string | null | undefined): Pick<Tone, 'bull_rate' | 'bear_rate'> | undefined {
  if (label?.toLowerCase() === 'bullish') return { bull_rate: 1, bear_rate: 0 }
  if (label?.toLowerCase() === 'bearish') return { bull_rate: 0, bear_rate: 1 }
  return undefined
}
