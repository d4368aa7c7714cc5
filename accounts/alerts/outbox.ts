import type { Accounts } from '#accounts/accounts.ts'
import type { Alert } from '#accounts/alerts/alerts.ts'
import type { ChatId } from '#accounts/messaging/messaging.ts'
import { tiers } from '#accounts/tiers.ts'
import type { Micros } from '#time.ts'

/**
 * The first waiting message of an account. `text` has no markup; its first line is the title. `cause` is that of its
 * firing. A message without a firing has none of the last five.
 */
export type Message = {
  account_id: string
  position: number
  text: string
  n_tries: number
  alert_id: string | null
  cause: string | null
  fired_at: Micros | null
  /** The alert, if it was not deleted since. */
  type: Alert['type'] | null
  entity: string | null
}

/**
 * The first message of each account, where its time has come, the longest waiting first: those to a messenger, and those
 * of accounts that have no messaging account any more. A later message of an account waits for the first one, so that a
 * chat receives them in order.
 */
export async function dueMessages(
  accounts: Accounts,
  { messenger, now, limit }: { messenger: string; now: Micros; limit: number },
): Promise<Message[]> {
  return accounts
    .selectFrom('outbox')
    .innerJoin(
      (eb) =>
        eb
          .selectFrom('outbox')
          .select(['account_id as owner', eb.fn.min('position').as('first')])
          .groupBy('account_id')
          .as('heads'),
      (join) => join.onRef('heads.owner', '=', 'outbox.account_id').onRef('heads.first', '=', 'outbox.position'),
    )
    .leftJoin('messaging', 'messaging.account_id', 'outbox.account_id')
    .leftJoin('firings', (join) =>
      join.onRef('firings.account_id', '=', 'outbox.account_id').onRef('firings.position', '=', 'outbox.position'),
    )
    .leftJoin('alerts', 'alerts.id', 'firings.alert_id')
    .select(['outbox.account_id', 'outbox.position', 'outbox.text', 'n_tries'])
    .select(['firings.alert_id', 'cause', 'fired_at', 'type', 'entity'])
    .where('next_at', '<=', now)
    .where((eb) => eb.or([eb('messenger', '=', messenger), eb('messenger', 'is', null)]))
    .orderBy('next_at')
    .orderBy('outbox.account_id')
    .limit(limit)
    .execute()
}

type Place = Pick<Message, 'account_id' | 'position'>

/** Removes a message that was sent, or that cannot be. */
export async function removeMessage(accounts: Accounts, { account_id, position }: Place): Promise<void> {
  await accounts.deleteFrom('outbox').where('account_id', '=', account_id).where('position', '=', position).execute()
}

/** Removes all messages of an account whose chat is gone. */
export async function removeMessages(accounts: Accounts, account_id: string): Promise<void> {
  await accounts.deleteFrom('outbox').where('account_id', '=', account_id).execute()
}

/** Puts a message off after its failure number `n_tries`. */
export async function putOff(
  accounts: Accounts,
  { account_id, position }: Place,
  later: { next_at: Micros; n_tries: number },
): Promise<void> {
  await accounts
    .updateTable('outbox')
    .set(later)
    .where('account_id', '=', account_id)
    .where('position', '=', position)
    .execute()
}

/**
 * Claims a message before it is sent, until an instant: null if another process has claimed it. If the claimant dies
 * between sending and marking, it is sent again after that instant. `chat` is the chat to send it to now, which may be of
 * another messenger since the message was listed; null if the account has none, is disabled, or has no alerts in its tier.
 */
export async function claimMessage(
  accounts: Accounts,
  { account_id, position }: Place,
  claim: { now: Micros; until: Micros },
): Promise<{ chat: ChatId | null } | null> {
  const { numUpdatedRows } = await accounts
    .updateTable('outbox')
    .set({ next_at: claim.until })
    .where('account_id', '=', account_id)
    .where('position', '=', position)
    .where('next_at', '<=', claim.now)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return null
  // A chat may have gone to another account since the message was listed.
  const owner = await accounts
    .selectFrom('accounts')
    .innerJoin('messaging', 'messaging.account_id', 'accounts.id')
    .select(['messenger', 'chat_id', 'tier'])
    .where('accounts.id', '=', account_id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (owner === undefined || owner.chat_id === null || tiers[owner.tier].alerts === 0) return { chat: null }
  return { chat: { messenger: owner.messenger, chat_id: owner.chat_id } }
}

/** Gives a claim up whose message was not sent, if it is still this one. */
export async function releaseClaim(
  accounts: Accounts,
  { account_id, position }: Place,
  claim: { now: Micros; until: Micros },
): Promise<void> {
  await accounts
    .updateTable('outbox')
    .set({ next_at: claim.now })
    .where('account_id', '=', account_id)
    .where('position', '=', position)
    .where('next_at', '=', claim.until)
    .execute()
}

/** The first message of an account waits until an instant. */
export async function holdFirst(accounts: Accounts, account_id: string, until: Micros): Promise<void> {
  await accounts
    .updateTable('outbox')
    .set({ next_at: until })
    .where('account_id', '=', account_id)
    .where('position', '=', (eb) =>
      eb
        .selectFrom('outbox')
        .select((select) => select.fn.min('position').as('first'))
        .where('account_id', '=', account_id),
    )
    .where('next_at', '<', until)
    .execute()
}
