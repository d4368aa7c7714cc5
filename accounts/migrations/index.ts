import type { Migration } from 'kysely'

import * as accounts from './0001_accounts.ts'
import * as idempotencyKeys from './0002_idempotency_keys.ts'
import * as signIn from './0003_sign_in.ts'
import * as watchlists from './0004_watchlists.ts'
import * as messaging from './0005_messaging.ts'
import * as alerts from './0006_alerts.ts'
import * as requestedAccounts from './0007_requested_accounts.ts'
import * as indexOfFirings from './0008_index_of_firings.ts'
import * as messengers from './0009_messengers.ts'
import * as deadLetters from './0010_dead_letters.ts'

/**
 * The migrations of the store, in order; each is a file and a line here. A released migration is never changed. All
 * pending migrations run in one transaction.
 */
export const migrations: Record<string, Migration> = {
  '0001_accounts': accounts,
  '0002_idempotency_keys': idempotencyKeys,
  '0003_sign_in': signIn,
  '0004_watchlists': watchlists,
  '0005_messaging': messaging,
  '0006_alerts': alerts,
  '0007_requested_accounts': requestedAccounts,
  '0008_index_of_firings': indexOfFirings,
  '0009_messengers': messengers,
  '0010_dead_letters': deadLetters,
}
