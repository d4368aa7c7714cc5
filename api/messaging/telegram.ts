import type { Api } from 'grammy'
import type { Update } from 'grammy/types'
import { z } from 'zod'

import { MessengerError, type Connect, type Failure, type Incoming, type Messenger } from './messenger.ts'

/** A bot, the root of its Bot API, and the root of links to it. */
export type TelegramBot = { token: string; apiRoot: string; linkRoot: string }

const settings = z.object({
  TELEGRAM_BOT_TOKEN: z
    .string()
    .regex(/^\d+:[\w-]{20,}$/, 'expected the token that @BotFather gave, such as 123456:ABC…')
    .optional()
    .meta({
      description: 'The token of the Telegram bot that links accounts and sends alerts; by default there is no bot',
      isSecret: true,
    }),
  TELEGRAM_API_ROOT: z
    .url({ protocol: /^https?$/, error: 'expected an address such as http://localhost:8081' })
    .transform((text) => text.replace(/\/+$/, ''))
    .default('https://api.telegram.org')
    .describe('The address of the Bot API, for a local Bot API server'),
})

/** The messenger Telegram, whose bot API this file calls. */
export const telegram = {
  id: 'telegram',
  name: 'Telegram',
  linking: 'bot',
  usernameForm: 'a Telegram user name: 4 to 32 letters, digits and _, beginning with a letter',
  parseUsername,
  settings,
  configure: (env) => {
    const { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: apiRoot } = settings.parse(env)
    return token === undefined ? undefined : connectTelegram({ token, apiRoot, linkRoot: 'https://t.me' })
  },
  // Telegram allows 30 messages a second, and one to a chat.
  pace: { bot_ms: 40, chat_ms: 1_100, n_at_once: 1 },
} as const satisfies Messenger

function parseUsername(text: string): string | null {
  return /^@?([A-Za-z][A-Za-z0-9_]{3,31})$/.exec(text)?.[1] ?? null
}

/** More than a long poll takes. */
const timeoutSeconds = 40
/** A message that is not answered by then is sent again later; messages of other chats wait for it. */
const sending_ms = 10_000
/** A message has at most 20 of them. */
const perPoll = 20
const allowed_updates = ['message', 'my_chat_member'] as const

/** Connects a bot of Telegram. */
export const connectTelegram =
  (bot: TelegramBot): Connect =>
  (ending) => {
    const opening = openApi(bot, ending)
    return {
      identify: async () => (await (await opening).getMe()).username,
      linkFor: (username, token) => `${bot.linkRoot}/${username}?start=${token}`,
      send: async (chat_id, text) => {
        const format = { parse_mode: 'HTML', link_preview_options: { is_disabled: true } } as const
        await (await opening).sendMessage(Number(chat_id), htmlOf(text), format)
      },
      listen: async function* ({ username, wait_s }) {
        const api = await opening
        // A webhook would take the updates.
        await api.deleteWebhook()
        let offset = 0
        try {
          for (;;) {
            const updates = await api.getUpdates({ offset, limit: perPoll, timeout: wait_s, allowed_updates })
            if (updates.length === 0) yield null
            for (const update of updates) {
              const incoming = parseUpdate(update, username)
              if (incoming !== null) yield incoming
              offset = update.update_id + 1
            }
          }
        } finally {
          // The next call would have confirmed these updates. The calls of the bot are aborted, so this one has its own end.
          if (ending.aborted && offset > 0)
            await api
              .getUpdates({ offset, limit: 1, timeout: 0 }, asSignal(AbortSignal.timeout(2_000)))
              .catch(() => undefined)
        }
      },
    }
  }

/** The most characters of a message. Telegram takes 4,096. */
const longest = 3_500

/** A text in Telegram's HTML. A long one is cut between characters, since half an emoji is no text. */
export function htmlOf(text: string): string {
  const [title = '', ...lines] = escaped([...text].slice(0, longest).join('')).split('\n')
  return lines.length === 0 ? title : [`<b>${title}</b>`, ...lines].join('\n')
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The message of an update; null for an update that concerns no person. */
function parseUpdate({ message, my_chat_member: member }: Update, username: string): Incoming | null {
  if (member !== undefined) {
    const hasLeft = member.chat.type === 'private' && member.new_chat_member.status === 'kicked'
    return hasLeft ? { kind: 'left', chat_id: String(member.chat.id) } : null
  }
  if (message?.from === undefined) return null
  return {
    kind: 'message',
    chat_id: String(message.chat.id),
    username: parseUsername(message.from.username ?? ''),
    is_private: message.chat.type === 'private',
    // In a group a command may name its bot.
    text: (message.text ?? '').replace(new RegExp(`^(/\\w+)@${username}(?!\\w)`, 'i'), '$1'),
  }
}

/**
 * The Bot API of a bot, whose calls throw only a {@link MessengerError}. Errors of the library hold the URL of the
 * request, which contains the token, and some servers repeat it, so no other error leaves this function. Calls without a
 * signal end with `ending`, and those of `sendMessage` after ten seconds. The library is loaded here, since most
 * installations have no bot.
 */
async function openApi({ token, apiRoot }: TelegramBot, ending: AbortSignal): Promise<Api> {
  const library = await import('grammy')
  const api = new library.Api(token, { apiRoot, timeoutSeconds })
  const fault = (method: string, reason: string, kind: Failure, pause_s: number | null = null) =>
    new MessengerError(`telegram: ${method}: ${withoutToken(reason, token)}`, { kind, pause_s })
  const reasonOf = (error: unknown): string => {
    const cause: unknown = error instanceof library.HttpError ? error.error : error
    if (!(cause instanceof Error)) return 'no response'
    return 'code' in cause && typeof cause.code === 'string' ? `no response, ${cause.code}` : cause.message
  }
  api.config.use(async (call, method, payload, signal) => {
    const calling = (until: AbortSignal) => call(method, payload, signal ?? asSignal(until))
    const answered = method === 'sendMessage' ? within(sending_ms, ending, calling) : calling(ending)
    const answer = await answered.catch((error: unknown) => {
      throw fault(method, reasonOf(error), 'passing')
    })
    if (answer.ok) return answer
    const { error_code, description, parameters } = answer
    throw fault(method, `${error_code} ${description}`, failureOf(error_code), parameters?.retry_after)
  })
  return api
}

/** A 409 is of a second poller, which ends. */
const failureOf = (status: number): Failure =>
  status === 403 ? 'blocked' : status === 409 || status === 429 || status >= 500 ? 'passing' : 'refused'

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

type Signal = Parameters<Api['getMe']>[0]

/** The library takes the interface of a signal from an older package. */
const asSignal = (signal: AbortSignal): Signal => signal as Signal

/** A text without the token, as it is or percent-encoded. */
const withoutToken = (text: string, token: string): string =>
  text.replaceAll(token, '<token>').replaceAll(encodeURIComponent(token), '<token>')
