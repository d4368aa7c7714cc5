import { count, double, flag, integer, optional, ratio, small, text, texts, time } from '#lake/columns.ts'
import { reasonCodes } from '#lake/reasons.ts'

import { dataset, type Row } from './dataset.ts'

export const quarantine = dataset({
  name: 'quarantine',
  version: 1,
  doc: 'A rejected row: an upstream row that did not parse, with its reason and body.',
  key: ['dataset', 'unit', 'ordinal'],
  columns: {
    dataset: text,
    unit: text,
    ordinal: integer,
    ts: optional(time),
    reason: text,
    path: optional(text),
    body: text,
    source: text,
  },
})

export const coverage = dataset({
  name: 'coverage',
  version: 1,
  doc:
    'The state of one unit of one dataset: done, head (still growing), missing (failed, to be retried), unavailable ' +
    '(not at the upstream), quarantined, unverified or expired (dropped by retention). `unit` is its id. A unit ' +
    'without rows has an entry too. `n_read` counts the upstream’s rows of the last reading, with rejected ones, and ' +
    '`n_rejected` the rejected ones; null: unknown, since the reading is of an earlier version or has 10,000 rejected ' +
    'rows, or the catalog was rebuilt. Of such entries with rejected rows, `n_rejected` may count those of all datasets ' +
    'of the unit. A range of blocks has `from_block` and the exclusive `to_block` in place of ' +
    'instants. `reason_code` is the gravest of: ' +
    `${Object.keys(reasonCodes).join(', ')}. ` +
    '`gaps` is JSON, a list of `{text, subject?, to?}`: the parts that the reading lacks, with their ends in microseconds. ' +
    '`resume` is JSON that a source keeps for the next reading, such as the version of a feed.',
  key: ['dataset', 'unit'],
  columns: {
    dataset: text,
    unit: text,
    part: text,
    key: text,
    precedence: small,
    state: text,
    from_at: optional(time),
    to_at: optional(time),
    from_block: optional(count),
    to_block: optional(count),
    n_rows: count,
    n_read: optional(count),
    n_rejected: optional(count),
    digest: optional(text),
    asked: texts,
    verified: texts,
    proof: optional(text),
    reason: optional(text),
    reason_code: optional(text),
    gaps: optional(text),
    resume: optional(text),
    upstream_at: optional(time),
    checked_at: time,
    source: text,
  },
})

export const feed = dataset({
  name: 'feed',
  version: 1,
  doc:
    'A published signal: appended once, never changed or removed. `published_at` is in whole milliseconds and ' +
    'strictly rising; `tick_at` is the instant that it was found as of. `information` is -log10 of its p-value. ' +
    '`evidence` is JSON, a list of `{kind, ref, ts, value}`: `ref` is a transaction, market, outcome token, token, ' +
    'post or signal, `ts` is in microseconds.',
  key: ['id'],
  columns: {
    id: text,
    published_at: time,
    tick_at: time,
    type: text,
    entity: text,
    direction: text,
    symbol: optional(text),
    score: small,
    tier_required: text,
    headline: text,
    summary: text,
    information: double,
    confidence: double,
    rule: text,
    evidence: text,
    source: text,
  },
})

export const grades = dataset({
  name: 'grades',
  version: 1,
  doc:
    'How a published signal turned out at its horizon: whether its measure moved on in the stated direction, beside ' +
    'the share of hits of the same rule at other instants of the same entity. It is stored once.',
  key: ['id', 'horizon_s'],
  columns: {
    id: text,
    horizon_s: count,
    graded_at: time,
    measure: text,
    value_before: double,
    value_after: double,
    is_hit: flag,
    baseline_rate: optional(ratio),
    n_baseline: count,
    source: text,
  },
})

export type Quarantined = Row<typeof quarantine>
export type Coverage = Row<typeof coverage>
export type FeedRow = Row<typeof feed>
