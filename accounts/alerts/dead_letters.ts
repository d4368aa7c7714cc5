import { lockAccount, type Accounts } from '#accounts/accounts.ts'
import { DAY, type Micros } from '#time.ts'

/** A message that was given up. `text` has no markup; its first line is the title. */
export type DeadLetter = { position: number; text: string; reason: string; dead_at: Micros }

/** Messages of an account: the one at a position, or all. */
type Chosen = { account_id: string; position?: number | undefined }

/** Dead letters are kept for so long. */
const kept_us = 30 * DAY

/** Moves messages from the outbox to the dead letters. A repetition moves nothing. */
export async function buryMessages(
  accounts: Accounts,
  { account_id, position, reason, now }: Chosen & { reason: string; now: Micros },
): Promise<void> {
  await accounts.transaction().execute(async (db) => {
    // No message joins the outbox of the account until the end.
    await lockAccount(db, account_id)
    await db
      .deleteFrom('dead_letters')
      .where('dead_at', '<', now - kept_us)
      .execute()
    await db
      .insertInto('dead_letters')
      .columns(['account_id', 'position', 'text', 'reason', 'dead_at'])
      .expression((eb) =>
        eb
          .selectFrom('outbox')
          .select(['account_id', 'position', 'text', eb.val(reason).as('reason')])
          .select([eb.cast<number>(eb.val(now), 'bigint').as('dead_at')])
          .where('account_id', '=', account_id)
          .$if(position !== undefined, (query) => query.where('position', '=', position ?? 0)),
      )
      .execute()
    await db
      .deleteFrom('outbox')
      .where('account_id', '=', account_id)
      .$if(position !== undefined, (query) => query.where('position', '=', position ?? 0))
      .execute()
  })
}

/** The dead letters of an account, the newest first. */
export const listDeadLetters = (accounts: Accounts, account_id: string, most: number): Promise<DeadLetter[]> =>
  accounts
    .selectFrom('dead_letters')
    .select(['position', 'text', 'reason', 'dead_at'])
    .where('account_id', '=', account_id)
    .orderBy('position', 'desc')
    .limit(most)
    .execute()

/** Moves dead letters back to the outbox. Returns their number. */
export async function replayDeadLetters(
  accounts: Accounts,
  { account_id, position, now }: Chosen & { now: Micros },
): Promise<number> {
  return accounts.transaction().execute(async (db) => {
    await lockAccount(db, account_id)
    await db
      .insertInto('outbox')
      .columns(['account_id', 'position', 'text', 'n_tries', 'next_at'])
      .expression((eb) =>
        eb
          .selectFrom('dead_letters')
          .select(['account_id', 'position', 'text', eb.cast<number>(eb.val(0), 'integer').as('n_tries')])
          .select([eb.cast<number>(eb.val(now), 'bigint').as('next_at')])
          .where('account_id', '=', account_id)
          .$if(position !== undefined, (query) => query.where('position', '=', position ?? 0)),
      )
      .execute()
    const { numDeletedRows } = await db
      .deleteFrom('dead_letters')
      .where('account_id', '=', account_id)
      .$if(position !== undefined, (query) => query.where('position', '=', position ?? 0))
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  })
}
