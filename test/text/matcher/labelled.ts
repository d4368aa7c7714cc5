import { readFileSync } from 'node:fs'

import { recordedPosts, type RecordedPost, type SocialSet } from '#test/recordings/social/posts.ts'
import { assetsAt, shippedAssets } from '#text/dictionary/shipped.ts'
import { createMatcher, type Matcher } from '#text/matcher/matcher.ts'
import type { Mention } from '#text/matcher/mention.ts'

/** A labelled mention: `[start, end)` of the text of a post. `kind` is how the text names the asset. */
type Label = { start: number; end: number; asset_id: string; kind: 'cashtag' | 'name' | 'ticker' }

/** A post that was read and labelled, and the mentions that the matcher finds in it. */
export type Judged = { set: SocialSet; post: RecordedPost; labels: Label[]; found: Mention[] }

/** Reads `labels.psv`, finds the recorded texts and matches each with the assets of its day. */
export async function judgedPosts(): Promise<Judged[]> {
  const bySet = new Map<SocialSet, Map<string, Label[]>>()
  for (const line of readFileSync(new URL('labels.psv', import.meta.url), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [set = '', id = '', start = '', end = '', asset_id = '', kind = ''] = line.split('|')
    const ofSet = bySet.get(set as SocialSet) ?? new Map<string, Label[]>()
    const label = { start: Number(start), end: Number(end), asset_id, kind: kind as Label['kind'] }
    ofSet.set(id, [...(ofSet.get(id) ?? []), ...(asset_id === '' ? [] : [label])])
    bySet.set(set as SocialSet, ofSet)
  }
  const match = matcherByDay()
  const judged: Judged[] = []
  for (const [set, labelled] of bySet) {
    const posts = new Map((await recordedPosts(set)).map((post) => [post.id, post]))
    for (const [id, labels] of labelled) {
      const post = posts.get(id)
      if (post === undefined) throw new Error(`labels: no post ${id} in ${set}; expected a recorded one`)
      judged.push({ set, post, labels, found: match(post.at)(post) })
    }
  }
  return judged
}

/** The matcher of the assets that hold at an instant. */
function matcherByDay(): (at: number) => Matcher {
  const assets = shippedAssets()
  const changes = [...new Set(assets.map(({ valid_at }) => valid_at))].toSorted((a, b) => a - b)
  const matchers = new Map<number, Matcher>()
  return (at) => {
    const since = changes.findLast((change) => change <= at) ?? 0
    const matcher = matchers.get(since) ?? createMatcher(assetsAt(assets, since))
    matchers.set(since, matcher)
    return matcher
  }
}

/** Whether a mention and a label name one asset in overlapping places. */
export const agrees = (mention: Mention, label: Label): boolean =>
  mention.asset_id === label.asset_id && mention.start < label.end && label.start < mention.end
