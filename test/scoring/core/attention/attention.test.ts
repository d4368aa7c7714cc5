import { expect, test } from 'vitest'

import { unparsed } from '#ingest/parse/rows.ts'
import { cut, run } from '#test/scoring/model.ts'

import { build, instant, lakeOf } from './lake.ts'

test('the universe has the tracked assets as of the clock, the larger one of a symbol', async () => {
  const asset = (asset_id: string, symbol: string, valid_at: string, market_rank: number, is_tracked = true) => ({
    asset_id,
    symbol,
    valid_at,
    market_rank,
    is_tracked,
  })
  const rows = await run('core.assets', {
    'staging.assets': [
      asset('matic', 'MATIC', '2026-01-01', 20),
      asset('matic', 'POL', '2026-06-01', 20),
      asset('pepe', 'PEPE', '2026-01-01', 30),
      asset('pepe-2', 'PEPE', '2026-01-01', 900),
      asset('old', 'OLD', '2026-01-01', 40),
      asset('old', 'OLD', '2026-02-01', 40, false),
      asset('new', 'NEW', '2027-01-01', 5),
    ],
  })
  expect(cut(rows, 'symbol', 'asset_id')).toEqual([
    ['PEPE', 'pepe'],
    ['POL', 'matic'],
  ])
})

test.each([
  ['an outlet', { is_outlet: true }, 1],
  ['a rating', { score: 0.6 }, 0.6],
  ['a low rating', { score: 0 }, 0.05],
  ['an unknown author', {}, 0.2],
  ['45 days', { joined_at: '2026-09-01' }, 0.525],
  [
    '100 followers of 200',
    { n_followers: 100, n_following: 200 },
    0.05 + (0.95 * (Math.log(101) / Math.log(10_001) + 0.5)) / 2,
  ],
  ['200 posts a day', { joined_at: '2026-07-08', n_posts: 20_000 }, 0.05 + 0.95 / 2],
])('the quality of %s', async (_, known, quality) => {
  const author = { platform: 'x', author: 'a', seen_at: '2026-10-16', is_outlet: false, ...known }
  const [row] = await run('core.author_quality', { 'lake.authors': [{ score: null, ...author }] })
  expect(row?.['quality_rate']).toBeCloseTo(quality, 5)
})

test('a mention has the parts of its weight, by hand', async () => {
  const base = { platform: 'x', simhash: 0n, confidence: 0.8, tone: [0.5, 0] as const, author: 'a' }
  const { 'core.mentions': rows } = await build(
    ['core.mentions'],
    lakeOf({
      posts: [
        {
          ...base,
          post_id: '1',
          hour: -10,
          assets: ['AAA', 'eee'],
          engaged: [
            { kind: 'like', engager: 'b', after: 1 },
            { kind: 'like', engager: 'b', after: 2 },
            { kind: 'quote', engager: 'b', after: 6 },
            { kind: 'repost', engager: 'c', after: 6.01 },
          ],
        },
        { ...base, post_id: '2', hour: -9, assets: ['AAA'], engaged: [] },
        { ...base, post_id: '3', hour: -13, assets: ['AAA'], engaged: [] },
      ],
      covered: {},
      quality: { 'x a': 0.5 },
    }),
  )
  expect(cut(rows, 'post_id', 'symbol', 'n_assets', 'quality_rate', 'engagement', 'kth')).toEqual([
    // The day begins 12.5 hours before the clock.
    ['3', 'AAA', 1, 0.5, 0, 1],
    ['1', 'AAA', 2, 0.5, 5, 1],
    ['2', 'AAA', 1, 0.5, 0, 2],
    ['1', '*', 2, 0.5, 5, 1],
  ])
})

test('a mention has the symbol of an asset if no larger one had it at the end of the day', async () => {
  const asset = (asset_id: string, symbol: string, hour: number, market_rank: number) => ({
    asset_id,
    symbol,
    valid_at: instant(hour),
    seen_at: instant(-100 * 24),
    market_rank,
    is_tracked: true,
    source: 'lists',
  })
  const named = (post_id: string, hour: number, asset_id: string) => ({ post_id, ts: instant(hour), asset_id })
  const posts = [
    named('1', -80, 'first'),
    named('2', -80, 'second'),
    named('3', -3, 'first'),
    named('4', -3, 'second'),
  ].map((post) => ({ ...post, platform: 'x', source: 'x', author: post.post_id }))
  const { 'core.mentions': rows } = await build(['core.mentions'], {
    'lake.assets': [
      asset('first', 'ONE', -90 * 24, 20),
      asset('first', 'OLD', -40, 20),
      asset('second', 'ONE', -90 * 24, 300),
    ],
    'lake.posts': posts.map(({ asset_id: _, ...post }) => ({ ...post, kind: 'post' })),
    'lake.mentions': posts.map(({ author: _, ...post }) => ({ ...post, n_assets: 1, confidence: 1 })),
  })
  expect(cut(rows, 'post_id', 'symbol')).toEqual([
    ['1', 'ONE'],
    ['3', 'OLD'],
    ['2', '*'],
    ['4', 'ONE'],
  ])
})

test('the shown count of engagement counts if it is larger than that of the known engagers', async () => {
  const mention = { platform: 'x', post_id: '1', asset_id: 'a', ts: '2026-11-20 01:00:00', author: 'a' }
  const shown = (n_engaged: number, ts: string) => ({
    platform: 'x',
    post_id: '1',
    kind: 'reply',
    engager: '',
    n_engaged,
    ts,
  })
  const [row] = await run('core.mentions', {
    'staging.mentions': [mention],
    'core.post_clusters': [{ platform: 'x', post_id: '1', cluster_id: '1' }],
    'lake.engagement': [
      shown(3, '2026-11-20 02:00:00'),
      shown(9, '2026-11-20 07:00:01'),
      { ...shown(1, '2026-11-20 02:00:00'), engager: 'b' },
    ],
  })
  expect(row).toMatchObject({ symbol: '*', engagement: 6, quality_rate: 0.2 })
})

test('the hours of an asset hold its posts, and the clusters that begin in them', async () => {
  const given = {
    'core.mentions': ['10:10', '10:50', '11:10'].map((time, n) => ({
      platform: 'x',
      asset_id: 'a',
      post_id: `${n}`,
      ts: `2026-11-20 ${time}:00`,
      symbol: 'AAA',
      author: `author${n % 2}`,
      n_assets: n === 1 ? 9 : 1,
    })),
    'core.clusters': [
      { platform: 'x', cluster_id: '0', asset_id: 'a', symbol: 'AAA', ts: '2026-11-20 10:10:00', credit: 1.5 },
    ],
  }
  const rows = await run('core.attention_hours', given)
  expect(cut(rows, 'hour_at', 'n_posts', 'n_authors', 'n_clusters', 'credit')).toEqual([
    ['2026-11-20 10:00:00', 1, 1, 1, 1.5],
    ['2026-11-20 11:00:00', 1, 1, 0, 0],
  ])
})

test('hours of a platform are covered by the hours of a stream, and by readings at most an hour apart', async () => {
  const unit = (source: string, part: string, from_at: string, to_at: string, state = 'done') => ({
    dataset: 'posts',
    unit: `${source} ${part} ${from_at}`,
    source,
    part,
    state,
    from_at: `2026-11-20 ${from_at}`,
    to_at: `2026-11-20 ${to_at}`,
  })
  const seen = (source: string, platform: string) => ({ source, platform, post_id: source, ts: '2026-11-20 08:30:00' })
  const rows = await run('core.platform_hours', {
    'lake.posts': [seen('stream', 'bluesky'), seen('feeds', 'news')],
    'staging.posts': [{ platform: 'news', post_id: '1', ts: '2026-11-20 08:30:00', author: 'a' }],
    'lake.coverage': [
      unit('stream', 'bluesky', '08:00', '09:00'),
      unit('stream', 'bluesky', '09:00', '10:00', 'unverified'),
      unit('stream', 'bluesky', '10:00', '10:15', 'head'),
      ...['08:00', '08:30', '09:00', '11:00'].map((time) => unit('feeds', 'one', time, time)),
      ...['08:30', '08:45'].map((time) => unit('feeds', 'two', time, time)),
    ],
  })
  expect(cut(rows, 'platform', 'hour_at', 'covered_share', 'n_posts')).toEqual([
    ['bluesky', '2026-11-20 08:00:00', 1, 0],
    ['bluesky', '2026-11-20 10:00:00', 0.25, 0],
    ['news', '2026-11-20 08:00:00', 0.625, 1],
  ])
})

test('an hour with rejected rows counts by the share of its rows that parsed, and one with a gap does not', async () => {
  const unit = (
    hour: number,
    n_rows: number,
    n_read: number | null,
    reason: string,
    {
      state = 'quarantined',
      n_rejected = null,
      code = 'unparsed',
    }: { state?: string; n_rejected?: number | null; code?: string } = {},
  ) => ({
    dataset: 'posts',
    unit: `${hour}`,
    source: 'stream',
    part: 'bluesky',
    state,
    from_at: `2026-11-20 0${hour}:00:00`,
    to_at: `2026-11-20 0${hour + 1}:00:00`,
    n_rows,
    n_read,
    n_rejected,
    reason,
    reason_code: code,
  })
  const rows = await run('core.platform_hours', {
    'lake.posts': [{ source: 'stream', platform: 'bluesky', post_id: '1', ts: '2026-11-20 00:30:00' }],
    'lake.coverage': [
      unit(0, 99, null, unparsed(1), { n_rejected: 1 }),
      unit(1, 5, 20, unparsed(2), { n_rejected: 2 }),
      unit(2, 0, null, unparsed(3), { n_rejected: 3 }),
      unit(3, 99, null, `${unparsed(1)}; the network was quiet`, { n_rejected: 1, code: 'gap' }),
      unit(4, 99, null, unparsed(1_000, 1_000)),
      unit(5, 0, 1, unparsed(2), { n_rejected: 2 }),
      unit(6, 99, null, 'the network was quiet', { state: 'unverified', code: 'gap' }),
      // Of 20 rejected rows, 5 were posts.
      unit(7, 95, 100, unparsed(20), { n_rejected: 5 }),
      unit(8, 4_500, 6_000, unparsed(1_000, 1_000), { n_rejected: 1_500 }),
    ],
  })
  expect(cut(rows, 'hour_at', 'covered_share')).toEqual([
    ['2026-11-20 00:00:00', 0.99],
    ['2026-11-20 01:00:00', 0.9],
    ['2026-11-20 02:00:00', 0],
    ['2026-11-20 05:00:00', 0],
    ['2026-11-20 07:00:00', 0.95],
    ['2026-11-20 08:00:00', 0.75],
  ])
})

test('a reading of a list covers the time since the one before it, also if that one was cut off', async () => {
  const unit = (time: string, state: string) => ({
    dataset: 'posts',
    unit: time,
    source: 'list',
    part: 'reddit',
    state,
    from_at: `2026-11-20 ${time}`,
    to_at: `2026-11-20 ${time}`,
  })
  const rows = await run('core.platform_hours', {
    'lake.posts': [{ source: 'list', platform: 'reddit', post_id: '1', ts: '2026-11-20 08:30:00' }],
    'lake.coverage': [
      unit('08:00', 'done'),
      unit('08:15', 'unverified'),
      unit('08:30', 'done'),
      unit('08:45', 'missing'),
      unit('09:00', 'done'),
    ],
  })
  expect(cut(rows, 'hour_at', 'covered_share')).toEqual([['2026-11-20 08:00:00', 0.75]])
})

test('a platform that was never read has no tables of attention', async () => {
  const tables = ['core.clusters', 'core.platform_hours', 'metrics.attention', 'marts.signals'] as const
  const built = await build(tables, { 'core.clock': [{ as_of: instant(0) }] })
  expect(Object.values(built).flat()).toEqual([])
})
