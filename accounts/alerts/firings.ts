import { lockAccount, type Accounts } from '#accounts/accounts.ts'
import type { Tier } from '#accounts/tiers.ts'
import type { Micros } from '#time.ts'

import type { Alert, AlertState } from './alerts.ts'

/**
 * An alert to evaluate. `key` is the wallet as the marts store it, or the entity; null: any entity. `is_reachable`
 * states that its account has a linked chat and is not disabled.
 */
export type OpenAlert = Pick<Alert, 'id' | 'type' | 'threshold'> & {
  account_id: string
  tier: Tier
  key: string | null
  state: AlertState
  is_reachable: boolean
}

/** The result of evaluating an alert: its new state, and its messages, each with a unique cause. */
export type Evaluated = { alert: OpenAlert; state: AlertState; firings: { cause: string; text: string }[] }

/** All alerts, by account. */
export async function listOpenAlerts(accounts: Accounts): Promise<OpenAlert[]> {
  const rows = await accounts
    .selectFrom('alerts')
    .innerJoin('accounts', 'accounts.id', 'alerts.account_id')
    .leftJoin('messaging', 'messaging.account_id', 'alerts.account_id')
    .select(['alerts.id', 'type', 'entity', 'address', 'threshold', 'state', 'alerts.account_id', 'tier'])
    .select(['messaging.chat_id', 'accounts.disabled_at'])
    .orderBy('alerts.account_id')
    .orderBy('alerts.id')
    .execute()
  return rows.map(({ entity, address, threshold, state, chat_id, disabled_at, ...rest }) => ({
    ...rest,
    key: entity === '*' ? null : (address ?? entity),
    threshold: JSON.parse(threshold) as Alert['threshold'],
    state: JSON.parse(state) as AlertState,
    is_reachable: chat_id !== null && disabled_at === null,
  }))
}

/** Evaluations of one transaction. Other users of an SQLite store wait for as long. */
const perTransaction = 200

/**
 * Stores evaluations: the new states, the firings, and their messages in the outbox. An alert is stored whole or not at
 * all. One whose state another process has changed since it was read is left alone, and a cause fires an alert once.
 * `goesOn` is asked between two transactions. Returns whether all are stored.
 */
export async function storeEvaluations(
  accounts: Accounts,
  evaluated: readonly Evaluated[],
  { now, goesOn }: { now: Micros; goesOn: () => Promise<boolean> },
): Promise<boolean> {
  // All processes take accounts in the same order, so that they cannot wait for each other in a circle.
  const ordered = evaluated.toSorted(
    ({ alert: { account_id: a } }, { alert: { account_id: b } }) => Number(a > b) - Number(a < b),
  )
  for (let from = 0; from < ordered.length; from += perTransaction) {
    if (from > 0 && !(await goesOn())) return false
    await accounts.transaction().execute(async (db) => {
      let locked = ''
      for (const evaluation of ordered.slice(from, from + perTransaction)) {
        const { account_id } = evaluation.alert
        // One process at a time gives the positions of an account.
        if (account_id !== locked) await lockAccount(db, account_id)
        locked = account_id
        await store(db, evaluation, now)
      }
    })
  }
  return true
}

async function store(db: Accounts, { alert, state, firings }: Evaluated, now: Micros): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('alerts')
    .set({ state: JSON.stringify(state) })
    .where('id', '=', alert.id)
    .where('state', '=', JSON.stringify(alert.state))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return
  for (const firing of firings) await fire(db, alert, { ...firing, now })
}

async function fire(
  db: Accounts,
  { id, account_id }: OpenAlert,
  { cause, text, now }: { cause: string; text: string; now: Micros },
): Promise<void> {
  const { last } = await db
    .selectFrom('firings')
    .select(({ fn }) => fn.max('position').as('last'))
    .where('account_id', '=', account_id)
    .executeTakeFirstOrThrow()
  const position = (last ?? 0) + 1
  const added = await db
    .insertInto('firings')
    .values({ alert_id: id, cause, account_id, position, fired_at: now, text })
    .onConflict((conflict) => conflict.columns(['alert_id', 'cause']).doNothing())
    .returning('alert_id')
    .execute()
  if (added.length === 0) return
  await db.insertInto('outbox').values({ account_id, position, text, n_tries: 0, next_at: now }).execute()
}
