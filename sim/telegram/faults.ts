/** A response of the Bot API. */
export type Answer = { ok: true; result: unknown } | Rejection

type Rejection = {
  ok: false
  error_code: number
  description: string
  parameters?: { retry_after: number }
}

/** A response that a test makes the Bot API give. */
export type Fault = { status: number; description: string; retry_after?: number }

/**
 * A way in which a call goes wrong: `rejected`; `cut`, the connection ends before the call takes effect; `lost`, it
 * ends after the effect, without the answer; `unanswered`, nothing happens until the caller gives up.
 */
export type Disturbance = { kind: 'rejected'; fault: Fault } | { kind: 'cut' | 'lost' | 'unanswered' }

/** The response to a call that failed. */
export const rejection = (error_code: number, description: string, retry_after?: number): Rejection => ({
  ok: false,
  error_code,
  description,
  ...(retry_after === undefined ? {} : { parameters: { retry_after } }),
})

/** The texts of Telegram's responses. */
export const descriptions = {
  otherPoller: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  webhook:
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  blocked: 'Forbidden: bot was blocked by the user',
  noChat: 'Bad Request: chat not found',
  empty: 'Bad Request: message text is empty',
  tooLong: 'Bad Request: message is too long',
  entities: "Bad Request: can't parse entities",
} as const
