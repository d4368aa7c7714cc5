import { STREAM_RUN_S } from '#ingest/followed_rounds.ts'
import { Aborted, type ActivityContext } from '#ingest/heartbeat.ts'
import { worldOf, type Hosts } from '#ingest/http/host.ts'
import type { Timers } from '#ingest/http/rate_limiter.ts'
import type { OnSilence, Streams } from '#ingest/http/stream.ts'
import { nameUnit, type UnitLog } from '#ingest/report.ts'
import type { Source, StreamEvent, StreamReader, StreamSource } from '#ingest/source.ts'
import { partOf } from '#ingest/units.ts'
import type { Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import { holdStream, type HeldStream } from '#lake/units/stream_cursor.ts'
import { HOUR, isoMicros, type Clock, type Micros } from '#time.ts'

import { addEvent, addGap, contentsOf, hourOf, isOver, openHour, rowCount, type OpenHour } from './open_hours.ts'
import { readerOf } from './reader.ts'
import { sealHour } from './seal.ts'

/** The result of one run of a stream. `units` counts stored hours, `rows` counts new rows. */
export type StreamResult = {
  units: number
  rows: number
  cursor: string | null
  /** Why the stream has no messages at the end of the run; null if it has. Earlier versions do not say it. */
  silence?: string | null
}

type StreamRun = {
  lake: Lake
  hosts: Hosts
  streams: Streams
  timers: Timers
  clock: Clock
  /** Takes the report of each hour that is closed. */
  log?: UnitLog | undefined
}

/** The length of a run, so that a workflow of many runs has a short history. */
const RUN_MS = STREAM_RUN_S * 1_000
/** New rows are stored at this interval by default, or after this many rows. */
const STORE_S = 3
const STORE_ROWS = 20_000
/** The lake is asked for new connections at this interval. */
const REFRESH_MS = 5_000

/**
 * Follows a stream for a limited time, from its stored cursor. Rows are stored before the cursor, so a killed run
 * repeats some messages and loses none. A repeated row is stored once, by its key. A gap of the upstream makes the
 * affected hours unverified.
 */
export async function followStream(
  tools: StreamRun,
  source: Source,
  name: string,
  { heartbeat, cancelled }: ActivityContext,
): Promise<StreamResult> {
  if (source.kind !== 'stream') throw new Error(`source ${source.name}: units that are planned; expected a stream`)
  const part = partOf(source, name)
  // Messages have no header with their world.
  for (const { name: upstream } of part.upstreams) {
    const host = tools.hosts[upstream]
    if (host !== undefined) await tools.lake.claim(worldOf(host))
  }
  const held = await holdStream(tools.lake, source.name, name)
  const state: State = { ...held.position, ...beginning, hours: new Map() }
  // A stream without a cursor lost the messages between two runs.
  if (source.sealedBy !== undefined && state.at !== null) state.missed = { reason: 'between two runs', from: state.at }
  const { connections, ...reader } = readerOf(tools, source, part, () => state.cursor)
  const run = { ...tools, source, part: name, held, state, reader }
  await openUnsettled(run)
  const stop = new AbortController()
  // Not AbortSignal.any of `cancelled`: it may have the lifetime of the process, and would hold an entry for each run.
  const cancel = (): void => stop.abort(cancelled?.reason)
  cancelled?.addEventListener('abort', cancel, { once: true })
  if (cancelled?.aborted === true) cancel()
  const begun_ms = tools.timers.now_ms()
  let flushed_ms = begun_ms
  let refreshed_ms = begun_ms
  const beat = (): void => heartbeat({ cursor: state.cursor, units: state.units, rows: state.rows })
  beat()
  try {
    await reader.refresh()
    const { silence_s, store_s = STORE_S } = source
    const onSilence: OnSilence = (...silence) => noteSilence(run, ...silence)
    for await (const texts of tools.streams(connections, { silence_s, onSilence, signal: stop.signal })) {
      for (const text of texts) for (const event of eventsOf(run, text)) await take(run, event)
      const now_ms = tools.timers.now_ms()
      if (now_ms - refreshed_ms >= REFRESH_MS) {
        await reader.refresh()
        refreshed_ms = now_ms
      }
      if (now_ms - flushed_ms >= store_s * 1_000 || state.n_new >= STORE_ROWS) {
        await flush(run)
        flushed_ms = tools.timers.now_ms()
        beat()
      }
      if (now_ms - begun_ms >= RUN_MS) stop.abort()
    }
  } finally {
    cancelled?.removeEventListener('abort', cancel)
  }
  await flush(run)
  beat()
  if (cancelled?.aborted === true) throw new Aborted(cancelled.reason)
  const { units, rows, cursor, isSilent, at } = state
  const silence = isSilent ? `no messages ${at === null ? 'yet' : `since ${isoMicros(at)}`}` : null
  return { units, rows, cursor, silence }
}

const beginning = { n_new: 0, units: 0, rows: 0, isSilent: false, silentFrom: null, missed: null }

type State = {
  cursor: string | null
  /** The latest instant of an event. */
  at: Micros | null
  /** The open hours, by their start. */
  hours: Map<Micros, OpenHour>
  /** Rows since the last flush. */
  n_new: number
  units: number
  rows: number
  isSilent: boolean
  /** The instant since which messages are missed; null while they come. */
  silentFrom: Micros | null
  /** The reason why messages before the next one are missing, and the start of the gap; null without a gap. */
  missed: { reason: string; from: Micros } | null
}

type Run = StreamRun & {
  source: StreamSource
  part: string
  reader: Pick<StreamReader, 'parse'>
  held: HeldStream
  state: State
}

/** The events of a message. An invalid message is a rejected row at the latest instant of the stream. */
function eventsOf({ source, reader, clock, state }: Run, text: string): StreamEvent[] {
  const reject = (reason: string): StreamEvent => ({
    cursor: state.cursor,
    at: state.at ?? clock(),
    rows: {},
    rejected: [{ dataset: source.datasets[0], reason, body: text }],
  })
  try {
    return reader
      .parse(text)
      .map((event) =>
        event.at <= clock() + HOUR
          ? event
          : reject(`event: in the future, ${isoMicros(event.at)}; expected a past instant`),
      )
  } catch (error) {
    return [reject(error instanceof Error ? error.message : String(error))]
  }
}

/** A silence without a cursor is a gap, since the missed messages do not come again. */
function noteSilence({ source, state, clock }: Run, isSilent: boolean, quiet_ms: number): void {
  const before = state.silentFrom
  // If each connection has its own messages, another one may have had messages since.
  const since = 'open' in source ? Math.round(clock() - quiet_ms * 1_000) : state.at
  state.isSilent = isSilent
  state.silentFrom = isSilent ? since : null
  if (source.sealedBy === undefined) return
  const subject = 'open' in source ? 'a connection had no messages' : 'no connection had messages'
  if (!isSilent && before !== null) state.missed = { reason: `${subject} for ${source.silence_s} s`, from: before }
  else for (const hour of state.hours.values()) hour.isChanged = true
}

/** Opens the passed hours that had not settled when the run before this one ended, so that they are closed. */
async function openUnsettled({ lake, source, part, state }: Run): Promise<void> {
  if (state.at === null) return
  const settling = state.at - source.settle_s * 1_000_000
  for (let hour = hourOf(settling); hour < hourOf(state.at); hour += HOUR) {
    const opened = await openHour(lake, source, { part, hour, from: hour })
    // An hour that was never stored is before the start of the stream.
    if (!opened.isChanged && !isOver(source, opened, state.at)) state.hours.set(hour, opened)
  }
}

/** Adds an event to its hour, and opens the passed hours without events. */
async function take(run: Run, event: StreamEvent): Promise<void> {
  const { state } = run
  const before = state.at ?? event.at
  const last = Math.max(before, event.at)
  for (let hour = hourOf(before); hour <= last; hour += HOUR) await hourAt(run, hour, event.at)
  const eventHour = await hourAt(run, hourOf(event.at), event.at)
  const n_before = rowCount(eventHour)
  // A message that follows from those before it knows all of its row.
  addEvent(eventHour, event, 'open' in run.source)
  const n_new = rowCount(eventHour) - n_before
  state.n_new += n_new
  state.rows += n_new
  const gap = event.gap ?? state.missed?.reason ?? null
  const from = state.missed?.from ?? before
  state.missed = null
  if (gap !== null) {
    const first = Math.min(before, event.at, from)
    const text = `${gap}: nothing came from ${isoMicros(first)} to ${isoMicros(event.at)}`
    for (let hour = hourOf(first); hour <= event.at; hour += HOUR)
      addGap(await hourAt(run, hour, first), { text, to: event.at })
  }
  state.cursor = event.cursor
  state.at = last
}

/** The open hour of an instant. It is opened if needed. */
async function hourAt({ lake, source, part, state }: Run, hour: Micros, at: Micros): Promise<OpenHour> {
  const current = state.hours.get(hour)
  if (current !== undefined) return current
  // The first hour of a stream is followed from the first event on.
  const opened = await openHour(lake, source, { part, hour, from: state.at === null ? at : hour })
  // Every past hour of the stream was opened when it passed. An earlier hour is before the start of the stream.
  if (opened.isChanged && state.at !== null && hour < hourOf(state.at))
    addGap(opened, { text: 'the stream began later' })
  state.hours.set(hour, opened)
  return opened
}

/** Stores the changed and the closed hours, and then the cursor. */
async function flush({ lake, clock, source, held, state, log }: Run): Promise<void> {
  const { at } = state
  if (at === null) return
  await held.assertHeld()
  for (const [begin, hour] of state.hours) {
    await sealHour(lake, source, hour, clock())
    const isClosed = isOver(source, hour, at)
    if (hour.isChanged || isClosed) {
      const contents = contentsOf(source, hour, { at, isClosed, silentFrom: state.silentFrom, checkedAt: clock() })
      // The name of a unit follows from its start, which must be in the hour, also if nothing of it is left.
      const from = Math.min(hour.from, (hour.unit.to ?? Infinity) - 1)
      const {
        n_rows: rows,
        n_quarantined: quarantined,
        bytes,
      } = await storeUnit(lake, { ...hour.unit, from }, contents)
      if (isClosed) {
        const result = { outcome: contents.state, reason: contents.reason ?? null, requests: null, seconds: null }
        log?.write({ ...nameUnit({ ...hour.unit, from }), rows, quarantined, bytes, ...result })
      }
      hour.isChanged = false
      state.units += 1
    }
    if (isClosed) state.hours.delete(begin)
  }
  await held.store({ cursor: state.cursor, at })
  state.n_new = 0
}
