import type { Accounts } from '#accounts/accounts.ts'
import type { Tier } from '#accounts/tiers.ts'
import type { Micros } from '#time.ts'

import type { Alert, AlertState } from './alerts.ts'

/** An alert to evaluate. `key` is the wallet as the marts store it, or the entity; null: any entity. */
export type OpenAlert = Pick<Alert, 'id' | 'type' | 'threshold'> & {
  account_id: string
  tier: Tier
  key: string | null
  state: AlertState
}

/** What an evaluation has changed: the new state, and the messages, each with its unique cause. */
export type Evaluated = { alert: OpenAlert; state: AlertState; firings: { cause: string; text: string }[] }

/** The alerts of accounts that have a linked chat and are not disabled. */
export async function listOpenAlerts(accounts: Accounts): Promise<OpenAlert[]> {
  const rows = await accounts
    .selectFrom('alerts')
    .innerJoin('messaging', 'messaging.account_id', 'alerts.account_id')
    .innerJoin('accounts', 'accounts.id', 'alerts.account_id')
    .select(['alerts.id', 'type', 'entity', 'address', 'threshold', 'state', 'alerts.account_id', 'tier'])
    .where('messaging.chat_id', 'is not', null)
    .where('accounts.disabled_at', 'is', null)
    .orderBy('alerts.id')
    .execute()
  return rows.map(({ entity, address, threshold, state, ...rest }) => ({
    ...rest,
    key: entity === '*' ? null : (address ?? entity),
    threshold: JSON.parse(threshold) as Alert['threshold'],
    state: JSON.parse(state) as AlertState,
  }))
}

/**
 * Stores evaluations in one transaction: the new states, the firings, and their messages in the outbox. An alert whose
 * state another process has changed since it was read is left alone, and a cause fires an alert once.
 */
export const storeEvaluations = (accounts: Accounts, evaluated: readonly Evaluated[], now: Micros): Promise<void> =>
  accounts.transaction().execute(async (db) => {
    for (const { alert, state, firings } of evaluated) {
      const { numUpdatedRows } = await db
        .updateTable('alerts')
        .set({ state: JSON.stringify(state) })
        .where('id', '=', alert.id)
        .where('state', '=', JSON.stringify(alert.state))
        .executeTakeFirstOrThrow()
      if (numUpdatedRows === 0n) continue
      for (const { cause, text } of firings) {
        const { account_id } = alert
        const { last } = await db
          .selectFrom('firings')
          .select(({ fn }) => fn.max('position').as('last'))
          .where('account_id', '=', account_id)
          .executeTakeFirstOrThrow()
        const position = (last ?? 0) + 1
        const added = await db
          .insertInto('firings')
          .values({ alert_id: alert.id, cause, account_id, position, fired_at: now, text })
          .onConflict((conflict) => conflict.columns(['alert_id', 'cause']).doNothing())
          .returning('alert_id')
          .execute()
        if (added.length === 0) continue
        await db.insertInto('outbox').values({ account_id, position, text, n_tries: 0, next_at: now }).execute()
      }
    }
  })
