import type { Micros } from '#time.ts'

import type { Tier } from './tiers.ts'

/** The tables of the store; `migrations/` creates them. */
export type Tables = {
  /** `disabled_at` is set while the operator has disabled the account. */
  accounts: { id: string; tier: Tier; created_at: Micros; disabled_at: Micros | null }
  keys: KeyRow
  /** Requested accounts that are not read yet. `is_trader` is 1 for an account with stored trades, else 0. */
  wanted: { address: string; asked_at: Micros; is_trader: number }
  /** Requested accounts that no venue knew when it was asked. */
  empty_accounts: { address: string; read_at: Micros }
  /** The first response to a write, by the caller's `Idempotency-Key`. `headers` is JSON: pairs of name and value. */
  idempotency_keys: {
    account_id: string
    key: string
    fingerprint: string
    status: number
    headers: string
    body: string
    created_at: Micros
  }
  /** Secrets of this installation. */
  secrets: { name: string; value: string }
  /** People who sign in. The id of a user is the id of the account. Only better-auth writes here. */
  users: { id: string; name: string; email: string; created_at: StoredDate }
  /** Signed-in browsers. Only better-auth creates them. */
  sessions: { id: string; user_id: string; token: string; expires_at: StoredDate }
  /** Password hashes. Only better-auth writes here. */
  credentials: { id: string; user_id: string; password: string | null }
  /** Tokens that reset a password. Only better-auth writes here. */
  verifications: { id: string; identifier: string; value: string; expires_at: StoredDate }
  /** Requests of an account in one hour, the refused ones among them in `limited`. `hour` is its first instant. */
  usage: { account_id: string; hour: Micros; requests: number; limited: number }
  /** Counts within fixed windows that all nodes share. */
  rate_windows: { name: string; begins_at: Micros; used: number }
  /** Security-relevant events, without secrets. `detail` is JSON. */
  audit: {
    id: string
    at: Micros
    account_id: string | null
    event: string
    actor: string
    network: string | null
    detail: string
  }
  /** `items` is JSON: the items as they are served. */
  watchlists: {
    id: string
    account_id: string
    name: string
    type: 'wallets' | 'assets' | 'markets'
    items: string
    created_at: Micros
  }
  /** The wallets of watchlists, as the marts store addresses. */
  followed: { address: string; watchlist_id: string }
  /** The instant from which a followed address is requested again. */
  followed_requests: { address: string; next_at: Micros }
  /** The messaging account of an account: the id of a messenger, a user name there, and its chat if it is linked. */
  messaging: {
    account_id: string
    messenger: string
    handle: string
    chat_id: string | null
    linked_at: Micros | null
  }
  /** The open link of an account, at most one. `token_hash` is the SHA-256 of its token in hex. */
  messaging_links: { account_id: string; messenger: string; token_hash: string; handle: string; expires_at: Micros }
  /** `threshold` and `state` are JSON; `address` is the wallet as the marts store it. */
  alerts: {
    id: string
    account_id: string
    type: 'wallet' | 'market' | 'signal' | 'social'
    entity: string
    address: string | null
    threshold: string
    created_at: Micros
    state: string
  }
  /**
   * The messages that alerts caused, one row a cause. `position` numbers the messages of an account. `text` has no
   * markup; its first line is the title.
   */
  firings: {
    alert_id: string
    cause: string
    account_id: string
    position: number
    fired_at: Micros
    text: string
  }
  /** The messages of firings that are to be sent. Until `next_at` a message waits, or a sender has claimed it. */
  outbox: { account_id: string; position: number; text: string; n_tries: number; next_at: Micros }
  /** The messages that were given up, with the reason. */
  dead_letters: { account_id: string; position: number; text: string; reason: string; dead_at: Micros }
  /** The work that one process at a time does. */
  leases: { name: string; owner: string; expires_at: Micros }
}

/** `hash` is the SHA-256 of the key in hex. `start` holds its first characters, which identify the key on a page. */
export type KeyRow = {
  hash: string
  id: string
  account_id: string
  name: string
  start: string
  created_at: Micros
  last_used_at: Micros | null
  revoked_at: Micros | null
}

/** An instant of better-auth: ISO 8601 text in SQLite, a `Date` in PostgreSQL. */
export type StoredDate = string | Date
