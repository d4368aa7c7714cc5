import { HttpError, type Http } from '#ingest/http/http.ts'
import type { Source } from '#ingest/source.ts'
import { spanOf, unitPath, type Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

import { pullUnit } from './pull_unit.ts'
import type { Outcome, UnitTools } from './read_and_store.ts'

/** The result of reading a unit. Instants are ISO 8601; a unit of blocks has the numbers of blocks. */
export type UnitReport = {
  source: string
  part: string
  unit: string
  from: string | number
  /** Exclusive; null: the end of time. */
  to: string | number | null
  /**
   * The state of the stored unit; `missing` after a failure, `unchanged` if the stored rows still hold, `empty` if the
   * upstream has no rows of a requested account.
   */
  outcome: string
  rows: number
  quarantined: number
  bytes: number
  /** The requests with their repetitions; null for a stream. */
  requests: number | null
  /** The time of the reading; null for a stream. */
  seconds: number | null
  /** The reason why the unit is not complete; null if it is. */
  reason: string | null
}

/** Takes the report of each unit that was read. */
export type UnitLog = { now_ms: () => number; write: (report: UnitReport) => void }

/** The columns of a report that follow from the unit. */
export function nameUnit(unit: Unit): Pick<UnitReport, 'source' | 'part' | 'unit' | 'from' | 'to'> {
  const { source, kind, part, from, to } = unit
  const shown = (at: number): string | number => (spanOf(kind) === 'blocks' ? at : new Date(at / 1_000).toISOString())
  return { source, part, unit: unitPath(unit), from: shown(from), to: to === null ? null : shown(to) }
}

/** Reads a unit, and reports the result. Without a log it only reads. A reading that is cut off has no report. */
export async function pullReported(
  { log, ...tools }: UnitTools & { log?: UnitLog | undefined },
  source: Source,
  unit: Unit,
  at: Micros,
): Promise<Outcome> {
  if (log === undefined) return pullUnit(tools, source, unit, at)
  const begun_ms = log.now_ms()
  let requests = 0
  const http = countSent(tools.http, (n) => {
    requests += n
  })
  const outcome = await pullUnit({ ...tools, http }, source, unit, at)
  const seconds = Math.round(log.now_ms() - begun_ms) / 1_000
  log.write({ ...nameUnit(unit), ...figuresOf(outcome), requests, seconds })
  return outcome
}

type Figures = Pick<UnitReport, 'outcome' | 'rows' | 'quarantined' | 'bytes' | 'reason'>

const none = { rows: 0, quarantined: 0, bytes: 0, reason: null }

function figuresOf(outcome: Outcome): Figures {
  if (outcome === 'empty') return { ...none, outcome }
  if ('failure' in outcome) return { ...none, outcome: 'missing', reason: outcome.failure }
  const { state, reason = null, n_rows: rows, n_quarantined: quarantined, bytes } = outcome
  return { outcome: state ?? 'unchanged', rows, quarantined, bytes, reason }
}

/** The same client, which passes on the number of requests that each call sent. */
const countSent =
  (http: Http, onSent: (n: number) => void): Http =>
  async (request, shape, onReply) => {
    let sent = 0
    try {
      return await http(request, shape, (reply) => {
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
