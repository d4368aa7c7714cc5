import { Bot, HttpError } from 'grammy'

/** A bot of the messenger Telegram, and the roots of its Bot API and of links to it. */
export type TelegramSettings = { token: string; apiRoot: string; linkRoot: string }

/** More than a long poll takes. */
const timeoutSeconds = 40
/** A message that is not answered by then is sent again later; messages of other chats wait for it. */
const sending_ms = 10_000

/** A call to the Bot API failed. `status` is null without a response. No field contains the token. */
export class TelegramError extends Error {
  override name = 'TelegramError'
  readonly status: number | null
  readonly retryAfter_s: number | null

  constructor(message: string, details: { status: number | null; retryAfter_s: number | null }) {
    super(message)
    this.status = details.status
    this.retryAfter_s = details.retryAfter_s
  }
}

/**
 * The milliseconds until a call that failed may be tried again: those that Telegram asks for, else the caller's own. It
 * may ask for 0 seconds, which is no pause.
 */
export const pauseAfter = (error: unknown, own_ms: number): number => {
  const asked_s = error instanceof TelegramError ? (error.retryAfter_s ?? 0) : 0
  return asked_s > 0 ? asked_s * 1_000 : own_ms
}

/**
 * A bot whose calls throw a `TelegramError` alone. Errors of the library hold the URL of the request, which contains
 * the token, and some servers repeat it, so no other error leaves this function. Calls without a signal end with
 * `ending`, and those of `sendMessage` after ten seconds.
 */
export function createBot({ token, apiRoot }: TelegramSettings, ending: AbortSignal): Bot {
  const bot = new Bot(token, { client: { apiRoot, timeoutSeconds } })
  const fault = (method: string, reason: string, status: number | null, retryAfter_s: number | null) =>
    new TelegramError(`telegram: ${method}: ${withoutToken(reason, token)}`, { status, retryAfter_s })
  bot.api.config.use(async (call, method, payload, signal) => {
    const calling = (until: AbortSignal) => call(method, payload, signal ?? asSignal(until))
    const answered = method === 'sendMessage' ? within(sending_ms, ending, calling) : calling(ending)
    const answer = await answered.catch((error: unknown) => {
      throw fault(method, reasonOf(error), null, null)
    })
    if (answer.ok) return answer
    const { error_code, description, parameters } = answer
    throw fault(method, `${error_code} ${description}`, error_code, parameters?.retry_after ?? null)
  })
  return bot
}

/** Runs a call with a signal that ends after a time, or with `ending`. */
async function within<T>(ms: number, ending: AbortSignal, call: (until: AbortSignal) => Promise<T>): Promise<T> {
  const until = new AbortController()
  const end = () => until.abort()
  if (ending.aborted) end()
  ending.addEventListener('abort', end)
  const timer = setTimeout(end, ms)
  try {
    return await call(until.signal)
  } finally {
    clearTimeout(timer)
    ending.removeEventListener('abort', end)
  }
}

/** Sends a message in Telegram's HTML to a chat. Throws a `TelegramError`: 403 if the person has blocked the bot. */
export async function sendMessage(bot: Bot, chat_id: number, html: string): Promise<void> {
  await bot.api.sendMessage(chat_id, html, { parse_mode: 'HTML', link_preview_options: { is_disabled: true } })
}

type Signal = Parameters<Bot['api']['getMe']>[0]

/** The library takes the interface of a signal from an older package. */
export const asSignal = (signal: AbortSignal): Signal => signal as Signal

const reasonOf = (error: unknown): string => {
  const cause: unknown = error instanceof HttpError ? error.error : error
  if (!(cause instanceof Error)) return 'no response'
  return 'code' in cause && typeof cause.code === 'string' ? `no response, ${cause.code}` : cause.message
}

/** A text without the token, as it is or percent-encoded. */
const withoutToken = (text: string, token: string): string =>
  text.replaceAll(token, '<token>').replaceAll(encodeURIComponent(token), '<token>')
