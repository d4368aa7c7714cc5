import { descriptions, rejection, type Answer } from './faults.ts'

/** A message or another event for the bot, without its number. */
export type Event = Record<string, unknown>

type Waiting = { end: (answer: Answer) => void; limit: number }

/**
 * The queue of the bot. An update stays until a later call has an offset above it. A second poll ends the first one
 * with a 409, as Telegram's does.
 */
export function createUpdates() {
  let queue: (Event & { update_id: number })[] = []
  let next = 1
  let waiting: Waiting | null = null
  let hasWebhook = false

  const taken = (limit: number): Answer => ({ ok: true, result: queue.slice(0, limit) })

  const push = (event: Event): void => {
    queue.push({ update_id: next++, ...event })
    waiting?.end(taken(waiting.limit))
  }

  const read = ({ offset, limit, timeout }: Event, gone: AbortSignal): Answer | Promise<Answer> => {
    if (hasWebhook) return rejection(409, descriptions.webhook)
    waiting?.end(rejection(409, descriptions.otherPoller))
    const from = Number(offset ?? 0)
    queue = queue.filter(({ update_id }) => update_id >= from)
    const most = Number(limit ?? 100)
    if (queue.length > 0 || Number(timeout ?? 0) === 0) return taken(most)
    return new Promise((resolve) => {
      const mine: Waiting = {
        limit: most,
        end: (answer) => {
          clearTimeout(timer)
          if (waiting === mine) waiting = null
          resolve(answer)
        },
      }
      const timer = setTimeout(() => mine.end(taken(most)), Number(timeout) * 1_000)
      gone.addEventListener('abort', () => mine.end(taken(0)), { once: true })
      waiting = mine
    })
  }

  return {
    push,
    read,
    setWebhook: (): void => {
      hasWebhook = true
    },
    deleteWebhook: (): Answer => {
      hasWebhook = false
      return { ok: true, result: true }
    },
  }
}
