import {
  count,
  double,
  flag,
  hash64,
  integer,
  optional,
  ratio,
  text,
  texts,
  time,
  tiny,
  type Column,
} from '#lake/columns.ts'

import { dataset } from './dataset.ts'

/** Texts of people are kept for 30 days. */
const TEXT_RETENTION_S = 30 * 86_400

/** The identity of a post: its id is unique on its platform. */
const post = { platform: text, post_id: text } satisfies Record<string, Column<unknown>>
const postKey = ['platform', 'post_id'] as const

export const posts = dataset({
  name: 'posts',
  version: 1,
  doc:
    'A post without its text. `ts` is the instant by the clock of the platform, `claimed_at` the instant that the ' +
    'author claims. `kind` is post, reply, quote or repost; `parent_id` is the post that it replies to or shows. ' +
    '`author` is a hash under a secret of the installation, or the name of an outlet. `native_label` and ' +
    '`native_assets` are what the platform itself says of the tone and of the assets (CoinGecko ids). `simhash` is ' +
    'the hash of the normalized text.',
  key: postKey,
  columns: {
    ...post,
    ts: time,
    author: text,
    claimed_at: optional(time),
    channel: optional(text),
    url: optional(text),
    lang: optional(text),
    kind: text,
    parent_id: optional(text),
    native_label: optional(text),
    native_assets: texts,
    simhash: hash64,
    source: text,
  },
})

export const dropped_posts = dataset({
  name: 'dropped_posts',
  version: 1,
  doc:
    'The number of posts of a minute that were read and are not kept, since they name no asset. `ts` is the begin of ' +
    'the minute by the clock of the platform.',
  key: ['platform', 'ts'],
  columns: { platform: text, ts: time, n_posts: count, source: text },
})

export const post_text = dataset({
  name: 'post_text',
  version: 1,
  doc:
    'The text of a post, with the addresses that it links to. It is kept for 30 days, and is dropped before if the ' +
    'post or its author is deleted upstream.',
  key: postKey,
  columns: { ...post, ts: time, text, source: text },
  retention_s: TEXT_RETENTION_S,
})

export const engagement = dataset({
  name: 'engagement',
  version: 1,
  doc:
    'A like, repost, reply or quote of a post by one engager, whose id is hashed. Without an engager (empty) ' +
    '`n_engaged` is the number of them that the platform showed at `ts`.',
  key: ['platform', 'post_id', 'kind', 'engager', 'ts'],
  columns: { ...post, kind: text, engager: text, ts: time, n_engaged: count, source: text },
})

export const authors = dataset({
  name: 'authors',
  version: 1,
  doc:
    'The facts behind the quality of an author, one row a change. `score` is the rating of the platform, from 0 ' +
    'to 1. An outlet publishes news.',
  key: ['platform', 'author', 'seen_at'],
  columns: {
    platform: text,
    author: text,
    seen_at: time,
    n_followers: optional(count),
    n_following: optional(count),
    n_posts: optional(count),
    joined_at: optional(time),
    score: optional(double),
    is_outlet: flag,
    source: text,
  },
})

export const tombstones = dataset({
  name: 'tombstones',
  version: 1,
  doc:
    'A deletion upstream. `kind` is post or author, `target` the id of the post or the hash of the author. ' +
    'Maintenance drops the texts up to `ts`; the posts stay, since facts of closed hours do not change.',
  key: ['platform', 'kind', 'target', 'ts'],
  columns: { platform: text, kind: text, target: text, ts: time, source: text },
})

export const assets = dataset({
  name: 'assets',
  version: 1,
  doc:
    'The dictionary of assets. A row holds from `valid_at` to the next row of its asset. `dominance` is the market ' +
    'value divided by the value of the next asset of the same symbol. `tokens` are `<chain>:<token>`.',
  key: ['asset_id', 'valid_at', 'seen_at'],
  columns: {
    asset_id: text,
    valid_at: time,
    seen_at: time,
    symbol: text,
    name: text,
    market_rank: optional(integer),
    dominance: optional(double),
    is_tracked: flag,
    is_never_bare: flag,
    aliases: texts,
    context_any: texts,
    exclude_any: texts,
    tokens: texts,
    source: text,
  },
})

export const mentions = dataset({
  name: 'mentions',
  version: 1,
  doc:
    'An asset in a post and its tone, stored with the post, since the text is dropped later. `tier` is the rule of ' +
    'the matcher, `n_assets` the number of assets in the post. `bull_rate` and `bear_rate` are 1 and 0 by a label of ' +
    'the platform, else the probabilities of the model whose weights have the version `model`.',
  key: ['platform', 'post_id', 'asset_id'],
  columns: {
    ...post,
    asset_id: text,
    ts: time,
    tier: tiny,
    confidence: ratio,
    n_assets: count,
    bull_rate: ratio,
    bear_rate: ratio,
    model: text,
    source: text,
  },
})
