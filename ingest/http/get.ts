import { Aborted } from '#ingest/heartbeat.ts'
import type { Reservation } from '#ingest/memory_limit.ts'
import type { Resumed } from '#ingest/resume.ts'
import type { Lake } from '#lake/lake.ts'
import type { RawKeeper } from '#lake/units/raw_responses.ts'
import { SECOND, type Micros } from '#time.ts'

import type { Http } from './http.ts'
import type { RateLimiter } from './rate_limiter.ts'
import { answerOf } from './replay.ts'
import type { Get } from './request.ts'
import { HttpError, type Reply } from './response.ts'

/** What happens to a request and its response on the way to `next`. */
type Layer = (next: Http) => Http

/** The first layer gets a request first, and its response last. */
const layered = (http: Http, layers: readonly Layer[]): Http => layers.reduceRight((next, layer) => layer(next), http)

/** The requests of a run. `limiter` is the limit that its caller sets, beside those of the hosts. */
export type RunHttp = { http: Http; limiter?: RateLimiter | undefined; cancelled?: AbortSignal | undefined }

export const runGet = ({ http, limiter, cancelled }: RunHttp): Get => {
  const limitedHttp = layered(http, [limited(limiter, cancelled)])
  return (request, shape) => limitedHttp(request, shape)
}

/** What the requests of one attempt to read a unit share. */
export type UnitHttp = RunHttp & {
  lake: Pick<Lake, 'claim'>
  turn: Reservation
  /** The names of the hosts that were asked. */
  asked: Set<string>
  shown: Shown
  /** An earlier attempt, which this one continues. */
  begun: Resumed | undefined
  /** Takes the responses, for a source that a reparse reads from them. */
  raw: Pick<RawKeeper, 'keep'> | undefined
  onSent: (n: number) => void
}

/** The `Get` of a source: all layers of the requests of a unit, in their order. */
export function unitGet(unit: UnitHttp): Get {
  const http = layered(unit.http, [
    whenRoom(unit),
    kept(unit),
    resumed(unit),
    counted(unit.onSent),
    limited(unit.limiter, unit.cancelled),
  ])
  return (request, shape) => http(request, shape)
}

/** Waits until the memory limit allows another response. */
const whenRoom =
  ({ turn }: UnitHttp): Layer =>
  (next) =>
  async (request, shape, onReply) => {
    await turn.waitForRoom()
    return next(request, shape, onReply)
  }

/** Notes and stores each response of an upstream. */
const kept =
  ({ lake, cancelled, turn, asked, shown, raw }: UnitHttp): Layer =>
  (next) =>
  (request, shape) =>
    next(request, shape, async ({ headers, sent: _, world, asked: names, ...reply }) => {
      if (cancelled?.aborted === true) throw new Aborted(cancelled.reason)
      turn.reserve(reply.body.length)
      for (const name of names) asked.add(name)
      noteShown(shown, { headers, world })
      await lake.claim(world)
      await raw?.keep(reply)
    })

/** Answers with the stored responses of an earlier attempt, and then asks `next` whether these still hold. */
const resumed =
  ({ begun, turn, asked }: UnitHttp): Layer =>
  (next) =>
  async (request, shape, onReply) => {
    const reply = await begun?.take(request)
    if (reply !== undefined) {
      turn.reserve(reply.body.length)
      asked.add(reply.host)
      return answerOf(reply, request, shape)
    }
    await begun?.assertUnchanged(next)
    return next(request, shape, onReply)
  }

/** Counts the requests that each call sent, with repetitions. */
const counted =
  (onSent: (n: number) => void): Layer =>
  (next) =>
  async (request, shape, onReply) => {
    let sent = 0
    try {
      return await next(request, shape, (reply) => {
        sent = reply.sent
        return onReply?.(reply)
      })
    } catch (error) {
      if (error instanceof HttpError) sent = error.sent
      throw error
    } finally {
      onSent(sent)
    }
  }

/**
 * Limits the requests of a run. After a cancellation it throws an `AbortError`, which ends a batch. Any other error
 * would count as a failure of its unit.
 */
const limited =
  (limiter: RateLimiter | undefined, cancelled: AbortSignal | undefined): Layer =>
  (next) =>
  async (request, shape, onReply) => {
    if (cancelled?.aborted === true) throw new Aborted(cancelled.reason)
    return limiter === undefined ? next(request, shape, onReply) : limiter.run(() => next(request, shape, onReply))
  }

/** The latest instant that upstreams stated with the responses of a reading; null if none did. */
export type Shown = { at: Micros | null }

/**
 * Notes the time of a response by its `Date` and, for that of a cache, its `Age`. Only JSON counts: static pages and
 * feeds may come from caches that keep an old `Date` and state no `Age`. Simulated worlds have clocks of their own.
 */
export function noteShown(shown: Shown, { headers, world }: Pick<Reply, 'headers' | 'world'>): void {
  const sent_ms = Date.parse(headers['date'] ?? '')
  if (world !== 'real' || Number.isNaN(sent_ms) || !isJson(headers['content-type'] ?? '')) return
  const age_s = /^\d+$/.test(headers['age'] ?? '') ? Number(headers['age']) : 0
  shown.at = Math.max(shown.at ?? 0, sent_ms * 1000 + age_s * SECOND)
}

const isJson = (type: string): boolean => /^application\/json\s*(;|$)/i.test(type)
