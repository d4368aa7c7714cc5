import type { IncomingMessage, ServerResponse } from 'node:http'

import Negotiator from 'negotiator'

import type { Caller } from '#accounts/keys.ts'
import { ApiError, notReady } from '#api/contract/errors.ts'
import type { Instant } from '#api/contract/instant.ts'
import { whyNotReady } from '#api/http/answer_public.ts'
import type { Marts } from '#snapshots/marts.ts'
import type { Micros } from '#time.ts'

import { beginOf } from './begin.ts'
import { openFeedLog, type FeedEvent } from './feed_log.ts'
import { placeFor, usualCaps, type StreamCaps } from './places.ts'

/** Streams of the feed to listeners, up to a limit of each account and of all. */
export type FeedStream = {
  /** Answers a request with a stream. Throws a 400 or 503. */
  open: (req: IncomingMessage, res: ServerResponse, opening: Opening) => Promise<void>
}

type Opening = {
  caller: Caller
  query: { type?: string; since?: Instant }
  /** The caller of the same key now; null if it has ended. */
  recheck: () => Caller | null | Promise<Caller | null>
}

/**
 * The milliseconds between two looks for a new pulse, two checks of a listener's key, and two comments. `await_ms` is
 * the time to wait for a last event that is not known yet.
 */
export type StreamPace = { look_ms: number; check_ms: number; comment_ms: number; await_ms: number }
const usualPace: StreamPace = { look_ms: 100, check_ms: 4_000, comment_ms: 15_000, await_ms: 2_000 }

/**
 * A listener has read all events up to `at`. It holds no event: one that reads slowly falls behind in the shared log.
 */
type Listener = Opening & { res: ServerResponse; at: Micros; isBusy: boolean }

/** Whether the client prefers a stream of events. */
export const wantsStream = (accept: string | undefined): boolean =>
  accept !== undefined &&
  new Negotiator({ headers: { accept } }).mediaType(['application/json', 'text/csv', 'text/event-stream']) ===
    'text/event-stream'

export function openFeedStream(
  marts: Pick<Marts, 'current' | 'fault'>,
  ending: AbortSignal,
  pace = usualPace,
  caps = usualCaps,
): FeedStream {
  const log = openFeedLog(marts)
  const listeners = new Set<Listener>()
  let timers: NodeJS.Timeout[] = []

  const drop = (listener: Listener): void => {
    listeners.delete(listener)
    if (listeners.size === 0) for (const timer of timers.splice(0)) clearInterval(timer)
  }

  /** Writes the events that a listener lacks, until its connection takes no more. `drain` continues. */
  const pump = async (listener: Listener): Promise<void> => {
    if (listener.isBusy) return
    listener.isBusy = true
    try {
      while (listener.at < log.last() && isOpen(listener.res)) {
        const last = log.last()
        const events = await log.after(listener.at)
        // The pulse no longer has the events up to the last one, so there is nothing to wait for.
        if (events.length === 0) listener.at = Math.max(listener.at, last)
        // No event is held while the connection takes no more.
        if (!writeSome(listener, events)) await drained(listener.res)
      }
    } catch {
      // Too many readers wait for the pulse. The next look continues.
    } finally {
      listener.isBusy = false
    }
  }

  const look = async (): Promise<void> => {
    await log.refresh().catch(() => undefined)
    for (const listener of listeners) if (listener.at < log.last()) void pump(listener)
  }

  const end = (listener: Listener): void => {
    drop(listener)
    finish(listener.res)
  }
  const check = async (listener: Listener): Promise<void> => {
    const caller = await Promise.resolve(listener.recheck()).catch(() => listener.caller)
    if (caller?.tier !== listener.caller.tier) end(listener)
  }

  const begin = (): void => {
    const comment = (): void => {
      // Comments would collect where the connection takes no more.
      for (const { res, isBusy } of listeners) if (!isBusy && !res.writableNeedDrain) res.write(':\n\n')
    }
    timers = [
      setInterval(() => void look(), pace.look_ms),
      setInterval(() => void Promise.all([...listeners].map(check)), pace.check_ms),
      setInterval(comment, pace.comment_ms),
    ]
    for (const timer of timers) timer.unref()
  }
  ending.addEventListener('abort', () => void [...listeners].map(end))

  const open: FeedStream['open'] = async (req, res, opening) => {
    if (marts.current('pulse') === null) throw notReady(whyNotReady(marts, ['pulse']))
    makePlace(listeners, opening, { ending, caps })
    await log.refresh()
    const at = await beginOf(log, { headers: req.headers, since: opening.query.since, pace })
    for (const former of makePlace(listeners, opening, { ending, caps })) end(former)
    res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' })
    if (req.method === 'HEAD') res.end()
    // No further event would end the stream of a client that has left.
    if (!isOpen(res)) return
    const listener: Listener = { ...opening, res, at, isBusy: false }
    if (listeners.size === 0) begin()
    listeners.add(listener)
    res.once('close', () => drop(listener))
    res.write('retry: 3000\n\n')
    await pump(listener)
  }
  return { open }
}

/** The streams that give their place to a new one. Throws where no further one may begin. */
function makePlace(
  listeners: ReadonlySet<Listener>,
  { caller }: Opening,
  { ending, caps }: { ending: AbortSignal; caps: StreamCaps },
): Listener[] {
  if (ending.aborted) throw notReady('too many streams are open')
  const former = placeFor(listeners, caller, caps)
  return former === null ? [] : [former]
}

/** Ends a response. A connection that takes no more is closed, since it would not take the end either. */
const finish = (res: ServerResponse): ServerResponse => (res.writableNeedDrain ? res.destroy() : res.end())

/** Whether a response can be written to. A write after its end would be an error. */
const isOpen = ({ destroyed, writableEnded }: ServerResponse): boolean => !destroyed && !writableEnded

/** Writes events until the connection takes no more. Returns whether it does. */
function writeSome(listener: Listener, events: readonly FeedEvent[]): boolean {
  for (const event of events) {
    // The stream may have ended while the events were read.
    if (!isOpen(listener.res)) return true
    listener.at = event.at
    if (isFor(event, listener) && !listener.res.write(event.bytes[listener.caller.tier])) return false
  }
  return true
}

const isFor = ({ type }: FeedEvent, { query }: Listener): boolean => query.type === undefined || query.type === type

/** Waits until a connection takes more, or is closed. */
const drained = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      res.off('drain', end)
      res.off('close', end)
      resolve()
    }
    if (res.destroyed) return resolve()
    res.once('drain', end)
    res.once('close', end)
  })

/** Refuses the parameters of pages. */
export function assertNoPages({ limit, cursor }: { limit?: unknown; cursor?: unknown }): void {
  const name = limit === undefined ? 'cursor' : 'limit'
  if (limit === undefined && cursor === undefined) return
  throw new ApiError('invalid_request', `${name}: given for a stream; expected no pages with text/event-stream.`)
}
