import type { Config } from '#config.ts'
import { serveBotApi } from '#sim/telegram/bot_api.ts'
import { machineClock } from '#time.ts'

/** A simulated Telegram with the bot of the demo. */
export type SimulatedTelegram = {
  settings: NonNullable<Config['telegram']>
  /** The command that presses Start as a person. */
  command: string
  close: () => Promise<void>
}

/** A token that no other Bot API accepts. */
const token = '1:a-token-for-the-simulated-bot-api'

/** Starts a simulated Telegram, so that linking works without the real one. Reports each message of the bot. */
export async function startTelegram(say: (text: string) => void): Promise<SimulatedTelegram> {
  const { url, onSent, close } = await serveBotApi({
    token,
    username: 'tapeline_demo_bot',
    clock: machineClock,
  })
  onSent(({ chat_id, text }) => say(`telegram, to chat ${chat_id}: ${text}`))
  const command = `curl -d username=<name> -d start=<token of the link> ${url}/sim/telegram`
  return { settings: { token, apiRoot: url, linkRoot: url }, command, close }
}
