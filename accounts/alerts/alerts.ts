import { randomUUID } from 'node:crypto'

import { lockAccount, type Accounts } from '#accounts/accounts.ts'
import { recordEvent } from '#accounts/audit.ts'
import type { Micros } from '#time.ts'

/** The kinds of alerts. */
export const alertTypes = ['wallet', 'market', 'signal', 'social'] as const

/**
 * An alert as it is served. `threshold` has the conditions of its type; empty: every new signal. `is_active` states
 * that its messages can be sent: its account has a linked chat.
 */
export type Alert = {
  id: string
  type: (typeof alertTypes)[number]
  /** A wallet, market or symbol as it is served; `*`: any. */
  entity: string
  threshold: Record<string, number | string>
  is_active: boolean
}

/**
 * The state of an alert between two evaluations. `is_armed`: its condition has been false since it fired. `baseline`:
 * the figure that changes are measured from; null before the first. `seen_at`: the last signal that was looked at.
 */
export type AlertState = { is_armed: boolean; baseline: number | null; seen_at: Micros }

/** The alerts of an account, the newest first; those of one millisecond by id. */
export async function listAlerts(accounts: Accounts, account_id: string): Promise<Alert[]> {
  const rows = await accounts
    .selectFrom('alerts')
    .leftJoin('messaging', 'messaging.account_id', 'alerts.account_id')
    .select(['alerts.id', 'type', 'entity', 'threshold', 'created_at', 'messaging.chat_id'])
    .where('alerts.account_id', '=', account_id)
    .execute()
  return rows
    .toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1))
    .map(({ id, type, entity, threshold, chat_id }) => ({
      id,
      type,
      entity,
      threshold: JSON.parse(threshold) as Alert['threshold'],
      is_active: chat_id !== null,
    }))
}

/**
 * Creates an alert in a transaction. `unlinked`: the account has no linked chat; `limit`: it has `most` alerts already.
 * `address` is the wallet as the marts store it, which is followed.
 */
export async function createAlert(
  transaction: Accounts,
  draft: Omit<Alert, 'id' | 'is_active'> & {
    account_id: string
    address: string | null
    state: AlertState
    most: number
    now: Micros
  },
): Promise<Alert | 'unlinked' | 'limit'> {
  const { account_id, type, entity, address, threshold, state, most, now } = draft
  await lockAccount(transaction, account_id)
  const chat = await transaction
    .selectFrom('messaging')
    .select('chat_id')
    .where('account_id', '=', account_id)
    .executeTakeFirst()
  if ((chat?.chat_id ?? null) === null) return 'unlinked'
  const { n } = await transaction
    .selectFrom('alerts')
    .select(({ fn }) => fn.countAll().as('n'))
    .where('account_id', '=', account_id)
    .executeTakeFirstOrThrow()
  if (Number(n) >= most) return 'limit'
  const id = randomUUID()
  const created_at = Math.floor(now / 1_000) * 1_000
  const texts = { threshold: JSON.stringify(threshold), state: JSON.stringify(state) }
  await transaction
    .insertInto('alerts')
    .values({ id, account_id, type, entity, address, created_at, ...texts })
    .execute()
  await recordEvent(transaction, {
    at: now,
    account_id,
    event: 'alert_created',
    actor: 'person',
    detail: { alert: id, type },
  })
  return { id, type, entity, threshold, is_active: true }
}

/** Deletes an alert in a transaction. Messages that wait are still sent. Returns whether the account had it. */
export async function deleteAlert(
  transaction: Accounts,
  { account_id, id, now }: { account_id: string; id: string; now: Micros },
): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('alerts')
    .where('id', '=', id)
    .where('account_id', '=', account_id)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return false
  await recordEvent(transaction, {
    at: now,
    account_id,
    event: 'alert_deleted',
    actor: 'person',
    detail: { alert: id },
  })
  return true
}
