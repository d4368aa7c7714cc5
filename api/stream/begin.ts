import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

import { invalidRequest, quoted } from '#api/contract/errors.ts'
import type { Instant } from '#api/contract/instant.ts'
import type { Micros } from '#time.ts'

import type { FeedLog } from './feed_log.ts'

/** Milliseconds between two looks for a last event, and for which it is awaited. */
type Patience = { look_ms: number; await_ms: number }
type Beginning = { headers: IncomingHttpHeaders; since: Instant | undefined; pace: Patience }

/** The instant after which a stream begins: that of the last event, or `since`, or now. Throws a 400. */
export async function beginOf(log: FeedLog, { headers, since, pace }: Beginning): Promise<Micros> {
  const id = headers['last-event-id']
  if (id === undefined || id === '') return since?.at ?? log.last()
  const at = typeof id === 'string' ? await awaitInstantOf(log, id, pace) : null
  if (at !== null) return at
  throw invalidRequest('Last-Event-ID', `unknown signal ${quoted(id)}`, 'the id of a signal of the last 30 days')
}

/** Another node may have read a pulse that this one reads next, and a client that is refused does not connect again. */
async function awaitInstantOf(log: FeedLog, id: string, { look_ms, await_ms }: Patience): Promise<Micros | null> {
  for (let left_ms = await_ms; ; left_ms -= look_ms) {
    const at = await log.instantOf(id)
    if (at !== null || left_ms <= 0) return at
    await sleep(look_ms)
  }
}
