import {
  count,
  flag,
  integer,
  optional,
  ratio,
  ratios,
  size,
  small,
  text,
  texts,
  time,
  usd,
  type Column,
} from '#lake/columns.ts'

/** A kind of fact: the columns of its rows, and the key that identifies and orders them. */
export type Dataset<C extends Record<string, Column<unknown>> = Record<string, Column<unknown>>> = {
  name: string
  /** Part of the path. A new nullable column keeps the version; any other change increments it. */
  version: number
  doc: string
  key: readonly string[]
  columns: C
  /** Seconds after the end of a unit until its rows and its raw responses are dropped; without it they are kept for ever. */
  retention_s?: number
}

/** A row of a dataset, as sources write it. */
export type Row<D extends Dataset> = {
  [K in keyof D['columns']]: D['columns'][K] extends Column<infer T> ? T : never
}

const dataset = <const C extends Record<string, Column<unknown>>>(
  of: Dataset<C> & { key: readonly (keyof C & string)[] },
): Dataset<C> => of

export const markets = dataset({
  name: 'markets',
  version: 1,
  doc: 'A market as described by its venue, one row a change. Entry i of `labels` and `token_ids` is outcome i.',
  key: ['market_id', 'seen_at'],
  columns: {
    market_id: text,
    seen_at: time,
    venue: text,
    event_id: text,
    question: text,
    labels: texts,
    token_ids: texts,
    category: optional(text),
    tags: texts,
    url: optional(text),
    status: text,
    is_open: flag,
    created_at: optional(time),
    starts_at: optional(time),
    starts_by: optional(text),
    ends_at: optional(time),
    closed_at: optional(time),
    collateral: text,
    taker_fee_rate: optional(ratio),
    maker_fee_rate: optional(ratio),
    neg_risk_id: optional(text),
    neg_risk_index: optional(integer),
    source: text,
  },
})

export const fills = dataset({
  name: 'fills',
  version: 1,
  doc: "One participant's side of one match. `seq` numbers equal rows if the venue has no fill id.",
  key: ['venue', 'token_id', 'ts', 'tx', 'trader', 'side', 'price', 'size', 'seq'],
  columns: {
    venue: text,
    token_id: text,
    ts: time,
    tx: text,
    trader: text,
    side: text,
    price: ratio,
    size: size,
    seq: integer,
    market_id: optional(text),
    role: optional(text),
    cash_usd: optional(usd),
    fee_usd: optional(usd),
    source: text,
  },
})

export const activity = dataset({
  name: 'activity',
  version: 1,
  doc: 'A movement of shares or cash without a match: split, merge, redeem, convert, reward, rebate, deposit, withdrawal.',
  key: ['venue', 'trader', 'ts', 'tx', 'kind', 'market_id', 'token_id', 'seq'],
  columns: {
    venue: text,
    trader: text,
    ts: time,
    tx: text,
    kind: text,
    market_id: text,
    token_id: text,
    seq: integer,
    size: optional(size),
    cash_usd: optional(usd),
    neg_risk_id: optional(text),
    index_set: optional(text),
    source: text,
  },
})

export const resolutions = dataset({
  name: 'resolutions',
  version: 1,
  doc: 'A final payout vector with one entry for each outcome. A correction is a later row.',
  key: ['market_id', 'ts'],
  columns: {
    market_id: text,
    ts: time,
    venue: text,
    payouts: ratios,
    status: text,
    tx: optional(text),
    source: text,
  },
})

export const quotes = dataset({
  name: 'quotes',
  version: 1,
  doc: 'Prices of outcome 0 at an instant (`period_s` 0), one row a change.',
  key: ['market_id', 'ts', 'period_s'],
  columns: {
    market_id: text,
    ts: time,
    period_s: count,
    venue: text,
    bid: optional(ratio),
    ask: optional(ratio),
    last: optional(ratio),
    size: optional(size),
    volume_24h_usd: optional(usd),
    size_24h: optional(size),
    source: text,
  },
})

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
    'at the upstream), quarantined, unverified or expired (dropped by retention). `unit` is its path. A unit without rows has an entry and no file. A range ' +
    'of blocks has `from_block` and the exclusive `to_block` in place of instants.',
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

/** The datasets that sources fill, by name. Storing a unit also writes coverage and quarantine. */
export const datasets = { markets, fills, activity, resolutions, quotes } as const
export type DatasetName = keyof typeof datasets

export type Market = Row<typeof markets>
export type Fill = Row<typeof fills>
export type Activity = Row<typeof activity>
export type Resolution = Row<typeof resolutions>
export type Quote = Row<typeof quotes>
export type Quarantined = Row<typeof quarantine>
export type Coverage = Row<typeof coverage>
