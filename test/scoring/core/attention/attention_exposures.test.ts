import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

import { instant } from './lake.ts'

const post = (platform: string, hour: number) => ({ platform, post_id: `${platform} ${hour}`, ts: instant(hour) })
const dropped = (source: string, hour: number, n_posts: number) => ({
  platform: 'bluesky',
  ts: instant(hour),
  n_posts,
  source,
})

test('a window of 6 hours has its stored posts and the posts of its minutes that were dropped', async () => {
  const rows = await run('core.attention_exposures', {
    'core.clock': [{ as_of: instant(0) }],
    'staging.posts': [post('bluesky', -0.5), post('bluesky', -7.5), post('reddit', -0.5), post('reddit', -1_411)],
    'lake.dropped_posts': [
      dropped('bluesky_jetstream', -0.25, 40),
      // Another source of the platform that saw fewer of the same posts.
      dropped('another', -0.25, 30),
      dropped('bluesky_jetstream', -6, 7),
      dropped('bluesky_jetstream', 0.25, 1_000),
    ],
  })
  const of = (platform: string) =>
    cut(
      rows.filter((row) => row['platform'] === platform),
      'hours_ago',
      'n_posts',
    ).toSorted(([a], [b]) => Number(a) - Number(b))
  // A window begins after its first instant, so the minute that began six hours ago is in none that ends at the clock.
  expect(of('bluesky')).toEqual([
    [0, 41],
    [1, 7],
    [2, 8],
    [3, 8],
    [4, 8],
    [5, 8],
    [6, 8],
    [7, 1],
  ])
  // Windows that begin before the 59 days are left out.
  expect(of('reddit')).toEqual([[0, 1], ...[1_406, 1_407, 1_408, 1_409, 1_410].map((hours_ago) => [hours_ago, 1])])
})
