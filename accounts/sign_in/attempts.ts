import { createHash } from 'node:crypto'

import type { Accounts } from '#accounts/accounts.ts'
import { recordEvent } from '#accounts/audit.ts'
import { dropOldWindows } from '#accounts/shared_windows.ts'
import { gridInstant, isLasting, SECOND, type Micros } from '#time.ts'

/** At most `most` attempts by a subject, such as an e-mail, in a window. */
export type AttemptLimit = { kind: string; subject: string; most: number; window_s: number }

/** Thrown when a subject has used its attempts. */
export class TooManyAttempts extends Error {
  override name = 'TooManyAttempts'
  /** Whole seconds until the window ends. */
  readonly reset_s: number

  constructor(reset_s: number) {
    super(`attempts: too many; expected a retry after ${reset_s} s`)
    this.reset_s = reset_s
  }
}

/** Counts an attempt of a network against several limits. Throws `TooManyAttempts` if one of them is exceeded. */
export type CountAttempt = (network: string, limits: readonly AttemptLimit[]) => Promise<void>

/**
 * Counts attempts in the store, so that all nodes share the windows. A window that is exceeded is noted in memory, so
 * that further attempts cost no write. Attempts count before their result is known: parallel guesses count too. The
 * first attempt beyond a limit is an event of the audit.
 */
export function openAttempts(accounts: Accounts, now: () => Micros): CountAttempt {
  const exceeded = new Map<string, Micros>()

  const assertOpen = (name: string, { window_s }: AttemptLimit): void => {
    const until = exceeded.get(name)
    if (until === undefined) return
    const at = now()
    if (isLasting(until, at, window_s * SECOND)) throw new TooManyAttempts(Math.ceil((until - at) / SECOND))
    exceeded.delete(name)
  }

  const count = async (name: string, limit: AttemptLimit, network: string): Promise<void> => {
    const { kind, most, window_s } = limit
    const begins_at = gridInstant(now(), window_s)
    const { used } = await accounts
      .insertInto('rate_windows')
      .values({ name, begins_at, used: 1 })
      .onConflict((conflict) =>
        conflict.columns(['name', 'begins_at']).doUpdateSet((eb) => ({ used: eb('rate_windows.used', '+', 1) })),
      )
      .returning('used')
      .executeTakeFirstOrThrow()
    if (used === 1) await dropOldWindows(accounts, now())
    if (used <= most) return
    for (const [old, until] of exceeded) if (until <= now()) exceeded.delete(old)
    exceeded.set(name, begins_at + window_s * SECOND)
    if (used === most + 1)
      await recordEvent(accounts, {
        at: now(),
        account_id: null,
        event: 'attempts_exceeded',
        actor: 'person',
        network,
        detail: { limit: kind },
      })
    assertOpen(name, limit)
  }

  return async (network, limits) => {
    const named = limits.map((limit) => [nameOf(limit), limit] as const)
    for (const [name, limit] of named) assertOpen(name, limit)
    for (const [name, limit] of named) await count(name, limit, network)
  }
}

/** The subject as a digest: the store then holds no e-mail of a stranger, and no text of any length. */
const nameOf = ({ kind, subject }: AttemptLimit): string =>
  `${kind} ${createHash('sha256').update(subject).digest('base64url')}`
