import type { ConfiguredMessenger } from '#api/messaging/messenger.ts'
import { connectTelegram, telegram } from '#api/messaging/telegram.ts'
import { createRandom } from '#sim/random.ts'
import { serveBotApi } from '#sim/telegram/bot_api.ts'
import type { Disturbance } from '#sim/telegram/faults.ts'
import { machineClock } from '#time.ts'

/** A simulated Telegram with the bot of the demo. */
export type SimulatedTelegram = {
  messenger: ConfiguredMessenger
  /** The page that shows the messages. */
  page: string
  /** Presses Start as a person with a user name. */
  pressStart: (username: string, token: string) => void
  close: () => Promise<void>
}

/** A token that no other Bot API accepts. */
const token = '1:a-token-for-the-simulated-bot-api'

const tooMany = (retry_after: number): Disturbance => ({
  kind: 'rejected',
  fault: { status: 429, description: `Too Many Requests: retry after ${retry_after}`, retry_after },
})

/** The failures of a third of the messages of alerts. A person who blocks the bot adds the 403. */
const disturbances: readonly Disturbance[] = [
  tooMany(1),
  tooMany(3),
  { kind: 'rejected', fault: { status: 502, description: 'Bad Gateway' } },
  { kind: 'cut' },
  { kind: 'lost' },
  { kind: 'lost' },
  { kind: 'unanswered' },
]

/**
 * Starts a simulated Telegram, so that linking and alerts work without the real one. Reports each message of the bot.
 */
export async function startTelegram(say: (text: string) => void, seed: number): Promise<SimulatedTelegram> {
  const random = createRandom(seed)
  const api = await serveBotApi({
    token,
    username: 'tapeline_demo_bot',
    clock: machineClock,
    // The answers of the bot arrive, so that a person who links a chat need not wait.
    disturb: (method, body) =>
      method === 'sendMessage' && isAlert(body) && random.chance(1 / 3) ? random.pick(disturbances) : null,
  })
  const { url, close } = api
  api.onSent(({ chat_id, text }) => say(`telegram, to @${api.nameOf(chat_id)}: ${text.replaceAll('\n', ' ')}`))
  return {
    messenger: { messenger: telegram, connect: connectTelegram({ token, apiRoot: url, linkRoot: url }) },
    page: `${url}/sim/telegram`,
    pressStart: (username, linkToken) => api.say(api.personOf(username), `/start ${linkToken}`),
    close,
  }
}

/** Only messages of alerts have a title. */
const isAlert = ({ text }: Record<string, unknown>): boolean => typeof text === 'string' && text.startsWith('<b>')
