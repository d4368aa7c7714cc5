import { hostOf, type HostName, type Hosts } from './host.ts'
import type { Timers } from './rate_limiter.ts'
import type { HttpRequest } from './request.ts'
import { wireRequest } from './secrets.ts'

/**
 * A connection to a stream. `hello` is sent when it is open, for streams that need a subscription. `ping` is a text that
 * keeps it open; the replies to it are no messages.
 */
export type StreamRequest = {
  host: HostName
  path: string
  query?: HttpRequest['query']
  hello?: string
  ping?: { text: string; every_s: number; replies: readonly string[] }
}

/** An open socket. The caller gets only text messages. A text that is sent before it is open is lost. */
export type Socket = {
  send: (text: string) => void
  pause: () => void
  resume: () => void
  terminate: () => void
}

/** Opens a socket. `onClose` is called when it is closed. */
export type Connect = (
  url: string,
  on: { hello: string | undefined; onMessage: (text: string) => void; onClose: () => void },
) => Socket

export type StreamOptions = {
  silence_s: number
  /** Connections that are open at once; each gets all messages. Default: 1. */
  sockets?: number
  /** Called when no connection had a message for `silence_s`, and again when messages come; before their batch. */
  onSilence?: (isSilent: boolean) => void
  signal: AbortSignal
}

/**
 * Reads the messages of a stream in batches, which may be empty, until it is cancelled. It opens a new connection when
 * a connection closes or is dead. A connection is dead without a message for `silence_s`, even if its socket answers
 * pings. `next` returns the next connection, after the caller got all messages of the previous one.
 */
export type Streams = (next: () => StreamRequest, options: StreamOptions) => AsyncGenerator<readonly string[]>

type StreamTools = Timers & {
  hosts: Hosts
  connect: Connect
  /** In [0, 1): spreads reconnections. */
  random: () => number
}

/** The interval at which the caller gets the buffer, also an empty buffer. */
const POLL_MS = 100
/** The most buffered characters; a fuller buffer pauses the socket. */
const BUFFER_CHARS = 16_000_000
const BACKOFF_MS = { first: 250, most: 30_000 }

/** The only way to a stream: makes {@link Streams} over the sockets of `connect`. */
export const createStreams =
  (tools: StreamTools): Streams =>
  (next, options) =>
    readStream(tools, next, options)

/** A place for a connection: an open one, or the time at which the next one is opened. */
type Slot = { connection: Connection | null; due_ms: number; failures: number }

async function* readStream(
  tools: StreamTools,
  next: () => StreamRequest,
  { silence_s, sockets = 1, onSilence, signal }: StreamOptions,
): AsyncGenerator<readonly string[]> {
  const slots = Array.from({ length: sockets }, (): Slot => ({ connection: null, due_ms: -Infinity, failures: 0 }))
  const silence_ms = silence_s * 1000
  let heard_ms = tools.now_ms()
  let isSilent = false
  try {
    while (!signal.aborted) {
      for (const slot of slots) {
        if (slot.connection === null && tools.now_ms() >= slot.due_ms) slot.connection = openConnection(tools, next())
      }
      // The messages are taken after this, so that those before a close are passed on.
      const closed = new Set(slots.filter(({ connection }) => connection?.isOpen() === false))
      const texts = slots.flatMap((slot) => takeFrom(slot))
      if (texts.length > 0) heard_ms = tools.now_ms()
      const wasSilent: boolean = isSilent
      isSilent = tools.now_ms() - heard_ms > silence_ms
      if (isSilent !== wasSilent) onSilence?.(isSilent)
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

function takeFrom(slot: Slot): readonly string[] {
  slot.connection?.ping()
  const texts = slot.connection?.take() ?? []
  if (texts.length > 0) slot.failures = 0
  return texts
}

/** Closes a connection, and sets the time of the next one. A silent one was no failure of the network. */
function endConnection({ now_ms, random }: StreamTools, slot: Slot, isSilent: boolean): void {
  slot.connection?.close()
  slot.connection = null
  const most_ms = isSilent ? BACKOFF_MS.first : Math.min(BACKOFF_MS.most, BACKOFF_MS.first * 2 ** slot.failures)
  slot.due_ms = now_ms() + random() * most_ms
  slot.failures += 1
}

type Connection = {
  isOpen: () => boolean
  /** The messages since the last call. */
  take: () => readonly string[]
  silentFor_ms: () => number
  /** Sends the text that keeps the connection open, if it is due. */
  ping: () => void
  close: () => void
}

function openConnection({ hosts, connect, now_ms }: StreamTools, request: StreamRequest): Connection {
  let buffer: string[] = []
  let buffered = 0
  let isOpen = true
  let heard_ms = now_ms()
  let pinged_ms = now_ms()
  const { path, query, ping } = request
  const { url } = wireRequest(hostOf(hosts, request.host), { host: request.host, path, ...(query && { query }) })
  const socket = connect(url, {
    hello: request.hello,
    onMessage: (text) => {
      if (ping?.replies.includes(text) === true) return
      buffer.push(text)
      buffered += text.length
      heard_ms = now_ms()
      if (buffered > BUFFER_CHARS) socket.pause()
    },
    onClose: () => {
      isOpen = false
    },
  })
  return {
    isOpen: () => isOpen,
    take: () => {
      const texts = buffer
      if (buffered > BUFFER_CHARS) socket.resume()
      buffer = []
      buffered = 0
      return texts
    },
    silentFor_ms: () => now_ms() - heard_ms,
    ping: () => {
      if (ping === undefined || now_ms() - pinged_ms < ping.every_s * 1000) return
      pinged_ms = now_ms()
      socket.send(ping.text)
    },
    close: () => socket.terminate(),
  }
}
