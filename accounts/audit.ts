import { randomUUID } from 'node:crypto'

import type { Micros } from '#time.ts'

import type { Accounts } from './accounts.ts'

/** The kinds of security-relevant events. */
export const auditEvents = [
  'signed_up',
  'signed_in',
  'sign_in_failed',
  'signed_out',
  // The first attempt beyond a limit of a window.
  'attempts_exceeded',
  // The hundredth invalid key of a minute from one network.
  'keys_guessed',
  'reset_requested',
  'reset_link_printed',
  'reset_failed',
  'password_reset',
  'key_created',
  'key_regenerated',
  'key_revoked',
  'tier_set',
  'disabled',
  'enabled',
  'link_opened',
  'chat_linked',
  'chat_unlinked',
  'alert_created',
  'alert_deleted',
] as const

/** A security-relevant event. No secret belongs into `detail`: no key, password, token or link. */
export type AuditEvent = {
  at: Micros
  /** The account that the event concerns; null if there is none, as for a failed sign-in. */
  account_id: string | null
  event: (typeof auditEvents)[number]
  /** A person, or the operator at the command line. */
  actor: 'person' | 'operator'
  /** The network address of the request; null for a command. */
  network?: string | null
  detail?: Record<string, string | number>
}

/** Records an event. Inside a transaction it is stored together with the change. */
export async function recordEvent(accounts: Accounts, entry: AuditEvent): Promise<void> {
  const { at, account_id, event, actor, network = null, detail = {} } = entry
  const row = { id: randomUUID(), at, account_id, event, actor, network, detail: JSON.stringify(detail) }
  await accounts.insertInto('audit').values(row).execute()
}

/** The newest events first, optionally of one account. */
export async function listEvents(
  accounts: Accounts,
  { account_id, most }: { account_id?: string; most: number },
): Promise<Required<AuditEvent>[]> {
  let events = accounts.selectFrom('audit').selectAll()
  if (account_id !== undefined) events = events.where('account_id', '=', account_id)
  const rows = await events.orderBy('at', 'desc').orderBy('id').limit(most).execute()
  return rows.map(({ id: _, detail, ...row }) => ({ ...row, detail: JSON.parse(detail) })) as Required<AuditEvent>[]
}
