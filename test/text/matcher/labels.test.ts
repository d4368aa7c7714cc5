import { beforeAll, describe, expect, test } from 'vitest'

import { isSocialRecorded, recordedPosts, socialSets } from '#test/recordings/social/posts.ts'
import { assetsAt, shippedAssets } from '#text/dictionary/shipped.ts'
import { createMatcher } from '#text/matcher/matcher.ts'

import { agrees, judgedPosts, type Judged } from './labelled.ts'

describe.runIf(isSocialRecorded)('the labelled mentions of recorded posts', () => {
  let judged: Judged[]
  beforeAll(async () => {
    judged = await judgedPosts()
  })

  const recall = (kind: 'cashtag' | 'name'): number => {
    const labels = judged.flatMap(({ labels, found }) =>
      labels.filter((label) => label.kind === kind).map((label) => found.some((mention) => agrees(mention, label))),
    )
    return labels.filter(Boolean).length / labels.length
  }

  test('are at least 400', () => {
    expect(judged.flatMap(({ labels }) => labels).length).toBeGreaterThanOrEqual(400)
  })

  test('are found with a precision of at least 0.97', () => {
    const right = judged.flatMap(({ labels, found }) =>
      found.map((mention) => labels.some((label) => agrees(mention, label))),
    )
    expect(right.filter(Boolean).length / right.length).toBeGreaterThanOrEqual(0.97)
  })

  test.each(['cashtag', 'name'] as const)('are found with a recall of at least 0.95 by %s', (kind) => {
    expect(recall(kind)).toBeGreaterThanOrEqual(0.95)
  })
})

describe.runIf(isSocialRecorded)('all recorded posts', () => {
  test('never count ONE, LINK, NEAR and OP as bare words', async () => {
    const match = createMatcher(assetsAt(shippedAssets(), Date.UTC(2022, 4, 10) * 1000))
    let n_bare = 0
    const counted: string[] = []
    for (const set of socialSets) {
      for (const post of await recordedPosts(set)) {
        if (!/\b(ONE|LINK|NEAR|OP|one|link|near|op)\b/.test(post.text)) continue
        n_bare += 1
        for (const { start, end } of match(post)) {
          const surface = post.text.slice(start, end)
          if (/^(one|link|near|op)$/i.test(surface)) counted.push(`${set} ${post.id} ${surface}`)
        }
      }
    }
    expect(n_bare).toBeGreaterThan(5_000)
    expect(counted).toEqual([])
  })
})
