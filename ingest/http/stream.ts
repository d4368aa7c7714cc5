import {
  openConnection,
  type Connect,
  type Connection,
  type ConnectionTools,
  type StreamRequest,
} from './connection.ts'
import type { Timers } from './rate_limiter.ts'

export type { Connect, StreamRequest }

/**
 * Called when messages are missed, as no connection had one for `silence_s`, and again when messages come; before their
 * batch. `quiet_ms` is the time since the last message. Of connections with messages of their own a single one counts.
 */
export type OnSilence = (isSilent: boolean, quiet_ms: number) => void

/**
 * The connections of a stream. Either `sockets` of them (default: 1) with all messages each; `next` returns the next
 * one, after the caller got all messages of the previous one. Or those that are `wanted` now, with messages of their
 * own; one whose request is replaced by another object is closed, and the new one is opened at once.
 */
export type Connections = { next: () => StreamRequest; sockets?: number } | { wanted: () => readonly StreamRequest[] }

export type StreamOptions = { silence_s: number; onSilence?: OnSilence; signal: AbortSignal }

/**
 * Reads the messages of a stream in batches, which may be empty, until it is cancelled. It opens a new connection when
 * a connection closes or is dead. A connection is dead without a message for `silence_s`, even if its socket answers
 * pings.
 */
export type Streams = (connections: Connections, options: StreamOptions) => AsyncGenerator<readonly string[]>

/** `random` in [0, 1) spreads reconnections. */
type StreamTools = Timers & ConnectionTools & { random: () => number }

/** The interval at which the caller gets the buffer, also an empty buffer. */
const POLL_MS = 100
const BACKOFF_MS = { first: 250, most: 30_000 }

/** The only way to a stream: makes {@link Streams} over the sockets of `connect`. */
export const createStreams =
  (tools: StreamTools): Streams =>
  (connections, options) =>
    readStream(tools, connections, options)

/** A place for a connection: an open one, or the time at which the next one is opened. `request`: a wanted one. */
type Slot = {
  request: StreamRequest | null
  connection: Connection | null
  due_ms: number
  failures: number
  heard_ms: number
}

async function* readStream(
  tools: StreamTools,
  connections: Connections,
  { silence_s, onSilence, signal }: StreamOptions,
): AsyncGenerator<readonly string[]> {
  const areWanted = 'wanted' in connections
  const n_first = areWanted ? 0 : (connections.sockets ?? 1)
  const slots = Array.from({ length: n_first }, () => slotFor(tools, null))
  const silence_ms = silence_s * 1000
  let isSilent = false
  try {
    while (!signal.aborted) {
      if (areWanted) arrange(tools, slots, connections.wanted())
      for (const slot of slots) {
        if (slot.connection !== null || tools.now_ms() < slot.due_ms) continue
        const request = areWanted ? slot.request : connections.next()
        if (request !== null) slot.connection = openConnection(tools, request)
      }
      // The messages are taken after this, so that those before a close are passed on.
      const closed = new Set(slots.filter(({ connection }) => connection?.isOpen() === false))
      const texts = slots.flatMap((slot) => takeFrom(tools, slot))
      const quiet_ms = quietFor_ms(tools, slots, areWanted)
      const wasSilent: boolean = isSilent
      isSilent = quiet_ms > silence_ms
      if (isSilent !== wasSilent) onSilence?.(isSilent, quiet_ms)
      yield texts
      for (const slot of slots) {
        if (slot.connection === null) continue
        const isDead = slot.connection.silentFor_ms() > silence_ms
        if (closed.has(slot) || isDead) endConnection(tools, slot, isDead)
      }
      await tools.sleep(POLL_MS, signal).catch(() => undefined)
    }
  } finally {
    for (const { connection } of slots) connection?.close()
  }
}

const slotFor = ({ now_ms }: StreamTools, request: StreamRequest | null): Slot => ({
  request,
  connection: null,
  due_ms: -Infinity,
  failures: 0,
  heard_ms: now_ms(),
})

/** Closes the connections that are no longer wanted, and makes a place for each new one. */
function arrange(tools: StreamTools, slots: Slot[], wanted: readonly StreamRequest[]): void {
  for (const [n, request] of wanted.entries()) {
    const slot = slots[n]
    if (slot?.request === request) continue
    slot?.connection?.close()
    slots[n] = slotFor(tools, request)
  }
  for (const { connection } of slots.splice(wanted.length)) connection?.close()
}

function takeFrom({ now_ms }: StreamTools, slot: Slot): readonly string[] {
  slot.connection?.ping()
  const texts = slot.connection?.take() ?? []
  if (texts.length > 0) {
    slot.failures = 0
    slot.heard_ms = now_ms()
  }
  return texts
}

/**
 * The time for which messages are missed: of the quietest connection if all differ, of the last heard one otherwise.
 */
function quietFor_ms({ now_ms }: StreamTools, slots: readonly Slot[], areDifferent: boolean): number {
  const quiet = slots.map(({ heard_ms }) => now_ms() - heard_ms)
  if (quiet.length === 0) return 0
  return areDifferent ? Math.max(...quiet) : Math.min(...quiet)
}

/** Closes a connection, and sets the time of the next one. A silent one was no failure of the network. */
function endConnection({ now_ms, random }: StreamTools, slot: Slot, isSilent: boolean): void {
  slot.connection?.close()
  slot.connection = null
  const most_ms = isSilent ? BACKOFF_MS.first : Math.min(BACKOFF_MS.most, BACKOFF_MS.first * 2 ** slot.failures)
  slot.due_ms = now_ms() + random() * most_ms
  slot.failures += 1
}
