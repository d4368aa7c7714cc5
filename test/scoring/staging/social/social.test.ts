import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

const at = '2026-11-20 10:20:00'
const post = (post_id: string, more: Record<string, string | number> = {}) => ({
  platform: 'x',
  post_id,
  ts: at,
  author: 'a',
  kind: 'post',
  source: 'x_search',
  ...more,
})

test('a post counts once, from the preferred source, and not after the clock', async () => {
  const rows = await run('staging.posts', {
    'staging.precedences': [
      { dataset: 'posts', source: 'x_search', precedence: 10 },
      { dataset: 'posts', source: 'x_archive', precedence: 20 },
    ],
    'lake.posts': [
      post('1'),
      post('1', { source: 'x_archive', author: 'b' }),
      post('1'),
      post('2', { ts: '2026-11-20 12:00:01' }),
    ],
  })
  expect(cut(rows, 'post_id', 'author', 'source')).toEqual([['1', 'b', 'x_archive']])
})

test('a post counts unless it or its author was deleted before its hour closed', async () => {
  const rows = await run('staging.posts', {
    'lake.posts': [
      post('gone'),
      post('later'),
      post('other', { platform: 'reddit' }),
      post('banned', { author: 'b' }),
      post('before', { author: 'c' }),
    ],
    'lake.tombstones': [
      { platform: 'x', kind: 'post', target: 'gone', ts: '2026-11-20 10:59:59' },
      { platform: 'x', kind: 'post', target: 'later', ts: '2026-11-20 11:00:00' },
      { platform: 'x', kind: 'post', target: 'other', ts: '2026-11-20 10:30:00' },
      { platform: 'x', kind: 'author', target: 'b', ts: '2026-11-20 10:59:59' },
      { platform: 'x', kind: 'author', target: 'c', ts: '2026-11-20 10:00:00' },
    ],
  })
  expect(rows.map(({ post_id }) => post_id)).toEqual(['other', 'before', 'later'])
})

test('an asset has its last row that was seen by the clock, else the first one after it', async () => {
  const seen = (seen_at: string, name: string, asset_id = 'a') => ({
    asset_id,
    valid_at: '2026-01-01',
    seen_at,
    symbol: 'aaa',
    name,
  })
  const rows = await run('staging.assets', {
    'lake.assets': [
      seen('2026-02-01', 'first'),
      seen('2026-03-01', 'last'),
      seen('2027-01-01', 'future'),
      seen('2027-01-01', 'near', 'b'),
      seen('2027-02-01', 'far', 'b'),
    ],
  })
  expect(cut(rows, 'asset_id', 'symbol', 'name')).toEqual([
    ['a', 'AAA', 'last'],
    ['b', 'AAA', 'near'],
  ])
})

test('a mention counts once, and only with its post', async () => {
  const mention = (post_id: string, model: string, bull_rate: number) => ({
    platform: 'x',
    post_id,
    asset_id: 'a',
    model,
    bull_rate,
    n_assets: 1,
    confidence: 0.95,
    source: 'x_search',
  })
  const rows = await run('staging.mentions', {
    'staging.posts': [post('1')],
    'lake.mentions': [mention('1', '2026-01', 0.1), mention('1', '2026-02', 0.2), mention('2', '2026-02', 0.3)],
  })
  expect(cut(rows, 'post_id', 'bull_rate', 'author')).toEqual([['1', 0.2, 'a']])
})

test('the assets of a post are those of one reading: of the source that the post is from, by one model', async () => {
  const mention = (post_id: string, asset_id: string, n_assets: number, more: Record<string, string> = {}) => ({
    platform: 'x',
    post_id,
    asset_id,
    model: 'm',
    n_assets,
    confidence: 0.95,
    source: 'x_search',
    ...more,
  })
  const rows = await run('staging.mentions', {
    'staging.posts': [post('1'), post('2')],
    'lake.mentions': [
      mention('1', 'bitcoin', 1),
      mention('1', 'bitcoin', 2, { source: 'x_archive' }),
      mention('1', 'ethereum', 2, { source: 'x_archive' }),
      mention('2', 'bitcoin', 1, { model: 'b' }),
      mention('2', 'bitcoin', 2, { model: 'a' }),
      mention('2', 'ethereum', 2, { model: 'a' }),
    ],
  })
  expect(cut(rows, 'post_id', 'asset_id', 'n_assets')).toEqual([
    ['1', 'bitcoin', 1],
    ['2', 'bitcoin', 1],
  ])
})
