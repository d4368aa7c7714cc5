import { z } from 'zod'

import { WorldMismatch, type Lake } from '#lake/lake.ts'
import { begunReading, dropProgress, repliesOf, takeProgress, type Progress } from '#lake/raw/progress.ts'
import type { RawReading } from '#lake/raw/reading.ts'
import type { RawReply } from '#lake/raw/segment.ts'
import type { Unit } from '#lake/units/unit.ts'
import { isOfFullDisk } from '#storage/disk_space.ts'
import { DAY, type Micros } from '#time.ts'

import { HttpError, type Http } from './http/http.ts'
import { routeOf } from './http/replay.ts'
import { keyOf, type HttpRequest } from './http/request.ts'
import type { Source, Watermark } from './source.ts'
import { watermarkAt } from './watermark.ts'

/** A reading that an earlier attempt began. Its responses are read again from the disk, in place of requests. */
export type Resumed = {
  /** The unit and the instant of the begun reading, which the whole reading keeps. */
  reading: RawReading
  progress: Progress
  watermarkOf: (source: Source) => Watermark
  /** The stored response to a request; undefined once all were given. Throws if another request was stored next. */
  take: (request: HttpRequest) => Promise<RawReply | undefined>
  /** Asks for the last stored response again, once. Throws if the upstream answers otherwise. */
  assertUnchanged: (http: Http) => Promise<void>
  /** Throws if a stored response was not asked for. */
  assertUsed: () => void
}

/** A longer pause makes pages of two times. The unit is then read anew. */
const longest = DAY

/**
 * The begun reading of a unit; undefined if it is read from its start. That of another run is continued too, with its
 * own instant. A refresh is not, since it distrusts earlier responses.
 */
export async function resumeUnit(lake: Lake, unit: Unit, at: Micros): Promise<Resumed | undefined> {
  const reading = await begunReading(lake, unit)
  if (reading === undefined) return undefined
  const isSame = JSON.stringify(ownOf(reading.unit)) === JSON.stringify(ownOf(unit))
  const age = at - reading.at
  if (!isSame || age < 0 || age > longest || (age > 0 && unit.forceRefresh === true)) {
    await dropProgress(lake, unit)
    return undefined
  }
  const progress = await takeProgress(lake, unit)
  return progress && resumed(lake, reading, progress)
}

const ownOf = ({ source, kind, part, key, from, to, params }: Unit) => [source, kind, part, key, from, to, params]

/** The upstream or the source is not as it was when the reading began. */
class Changed extends Error {
  override name = 'Changed'
}

/** The responses that may be stored in another order than they are asked for, by parallel requests. */
const mostPending = 64

/** A stored response, and the request that it was given to. */
type Given = { request: HttpRequest; reply: RawReply }

function resumed(lake: Lake, reading: RawReading, progress: Progress): Resumed {
  const replies = repliesOf(lake, progress)
  const pending: RawReply[] = []
  let last: Given | undefined
  let checked: Promise<void> | undefined

  const find = async (request: HttpRequest): Promise<RawReply | undefined> => {
    const route = routeOf(keyOf(request))
    for (;;) {
      const at = pending.findIndex((reply) => routeOf(reply) === route)
      const [recorded] = at < 0 ? [] : pending.splice(at, 1)
      if (recorded !== undefined) {
        last = { request, reply: recorded }
        return recorded
      }
      if (pending.length >= mostPending) throw new Changed(`${route}: not asked for before; expected the same requests`)
      const read = await replies.next()
      if (read.done === true) return undefined
      pending.push(read.value)
    }
  }
  let turn: Promise<unknown> = Promise.resolve()
  return {
    reading,
    progress,
    watermarkOf: (source) => reading.watermark ?? watermarkAt(source, reading.at),
    take: (request) => {
      const taken = turn.then(() => find(request))
      turn = taken.catch(() => undefined)
      return taken
    },
    assertUnchanged: (http) => {
      checked ??= last === undefined ? Promise.resolve() : assertSame(http, last)
      return checked
    },
    assertUsed: () => {
      if (pending.length > 0)
        throw new Changed(`${pending.length} stored responses: not asked for; expected the same requests`)
    },
  }
}

async function assertSame(http: Http, { request, reply }: Given): Promise<void> {
  let body: string | undefined
  await http(request, z.unknown(), (again) => {
    body = again.body
  })
  if (body === undefined || outlineOf(body) !== outlineOf(reply.body))
    throw new Changed(`${reply.path}: it answers otherwise than before; expected the same rows`)
}

/** A body without its numbers: prices and volumes of the same rows change from one second to the next. */
const outlineOf = (body: string): string => body.replaceAll(/\d[\d.:TZ+-]*/g, '0')

/**
 * Whether a reading that failed continues later: the network or the machine failed, or its run ended. Any other failure
 * may lie in the responses, which are then asked for again.
 */
export function isResumable(error: unknown): boolean {
  if (error instanceof HttpError)
    return error.status === 0 || [408, 425, 429].includes(error.status) || error.status >= 500
  if (!(error instanceof Error)) return false
  const isOfMachine = isOfFullDisk(error) || /^(Out of Memory|IO) Error/.test(error.message)
  return error instanceof WorldMismatch || error.name === 'AbortError' || isOfMachine
}
