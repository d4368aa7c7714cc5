import { pino } from 'pino'
import { z } from 'zod'

import { openAccounts } from '#accounts/accounts.ts'
import { watchAlerts } from '#api/alerts/watch.ts'
import { startBot } from '#api/messaging/bot.ts'
import { connectTelegram, telegram } from '#api/messaging/telegram.ts'
import { openMarts } from '#snapshots/marts.ts'
import { machineClock } from '#time.ts'

/** The token of the bot of a storm. */
export const token = '1:the-token-of-a-storm'

/** Longer than any call takes on a busy machine: a claim must not end while its message is under way. */
export const claim_ms = 600_000

const delivery = { bot_ms: 0, chat_ms: 0, n_at_once: 1, look_ms: 20, backoff_ms: 5, claim_ms, most_tries: 300 }

/**
 * `node.ts <store> <marts> <Bot API>`: evaluates alerts and sends their messages, as a node of the service does.
 * Its parent sets its clock ahead by messages of so many microseconds.
 */
const [place, dir, apiRoot] = process.argv.slice(2)
if (place !== undefined && dir !== undefined && apiRoot !== undefined && process.argv[1] === import.meta.filename) {
  let ahead = 0
  process.on('message', (given) => void (ahead = z.number().parse(given)))
  const now = () => machineClock() + ahead
  const log = pino({ level: 'silent' })
  const accounts = await openAccounts(place)
  const marts = await openMarts({ dir, now, poll_ms: 20 })
  const connect = connectTelegram({ token, apiRoot, linkRoot: '' })
  startBot(
    { messenger: telegram, connect },
    { accounts, now, log },
    { poll_s: 10, term_s: 60, retry_ms: 200 },
    delivery,
  )
  watchAlerts({ accounts, marts, now, log })
}
