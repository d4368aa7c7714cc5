import { count, flag, integer, optional, ratio, ratios, size, text, texts, time, usd } from '#lake/columns.ts'

import { dataset, type Row } from './dataset.ts'

export const markets = dataset({
  name: 'markets',
  version: 1,
  doc:
    'A market as described by its venue, one row a change. Entry i of `labels` and `token_ids` is outcome i. A fee ' +
    'is size x rate x (price x (1 - price)) ^ `fee_exponent`; null: the venue states no exponent. `collateral` is ' +
    'empty if unknown. `volume_usd` is all that the venue says was traded, as of the row; a change of only ' +
    'this column adds no row.',
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
    fee_exponent: optional(ratio),
    neg_risk_id: optional(text),
    neg_risk_index: optional(integer),
    volume_usd: optional(usd),
    source: text,
  },
})

export const fills = dataset({
  name: 'fills',
  version: 1,
  doc:
    "One participant's side of one match. `seq` numbers equal rows if the venue has no fill id. `role` is `maker`, " +
    '`taker`, or `block` for a trade that was agreed off the book. `trader` is empty if the venue is anonymous.',
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
  doc:
    'A movement of shares or cash without a match: split, merge, redeem, convert, transfer_in, transfer_out, migrate, ' +
    'reward, rebate, deposit, withdrawal. A conversion has the number of questions that its market had then. A transfer ' +
    'has the other wallet as `counterparty`. A migration is two rows: the token that was given, with a negative size, ' +
    'and the token that was got.',
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
    n_questions: optional(integer),
    counterparty: optional(text),
    source: text,
  },
})

export const conditions = dataset({
  name: 'conditions',
  version: 1,
  doc:
    'A condition with two outcomes as its contract prepared it, and the tokens of its outcomes in their order. The ' +
    'contract is shared with other projects, whose conditions are here too.',
  key: ['market_id', 'ts'],
  columns: {
    market_id: text,
    ts: time,
    venue: text,
    tx: text,
    oracle: text,
    question_id: text,
    token_ids: texts,
    neg_risk_id: optional(text),
    neg_risk_index: optional(integer),
    source: text,
  },
})

export const wallet_owners = dataset({
  name: 'wallet_owners',
  version: 1,
  doc:
    'The owner of a wallet of a venue, as a log of its factory or its relay shows it: of a Safe when it was made, of a ' +
    'proxy wallet whenever a transaction of its owner was relayed. A transfer between an owner and a wallet whose ' +
    'address derives from it shows the owner too.',
  key: ['venue', 'wallet', 'ts', 'tx'],
  columns: { venue: text, wallet: text, ts: time, tx: text, owner: text, source: text },
})

export const venue_contracts = dataset({
  name: 'venue_contracts',
  version: 1,
  doc: 'A contract of a venue that a log of another one made: a pool of outcome tokens. It holds shares and is no trader.',
  key: ['venue', 'address', 'ts', 'tx'],
  columns: { venue: text, address: text, ts: time, tx: text, label: text, source: text },
})

export const resolutions = dataset({
  name: 'resolutions',
  version: 1,
  doc: 'A final payout vector with one entry for each outcome. A correction is a later row.',
  key: ['market_id', 'ts'],
  // A venue may state the instant of a resolution later, or otherwise.
  identity: ['market_id'],
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
  doc:
    'Prices of outcome 0 at an instant (`period_s` 0), one row a change. `venue_price` is the price that the venue ' +
    'shows; a change of only `liquidity_usd` adds no row.',
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
    venue_price: optional(ratio),
    liquidity_usd: optional(usd),
    source: text,
  },
})

export type Market = Row<typeof markets>
export type Fill = Row<typeof fills>
export type Resolution = Row<typeof resolutions>
export type Quote = Row<typeof quotes>
