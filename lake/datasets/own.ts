import { count, integer, optional, small, text, texts, time } from '#lake/columns.ts'

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
    'The state of one unit of one dataset: done, head (still growing), missing (failed, to be retried), unavailable (not ' +
    'at the upstream), quarantined, unverified or expired (dropped by retention). `unit` is its id. A unit ' +
    'without rows has an entry too. A range of blocks has `from_block` and the exclusive `to_block` in place of instants.',
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
    digest: optional(text),
    asked: texts,
    verified: texts,
    proof: optional(text),
    reason: optional(text),
    upstream_at: optional(time),
    checked_at: time,
    source: text,
  },
})

export type Quarantined = Row<typeof quarantine>
export type Coverage = Row<typeof coverage>
