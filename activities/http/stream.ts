import { hostOf, type HostName, type Hosts } from './host.ts'
import type { Timers } from './rate_limiter.ts'
import type { HttpRequest } from './request.ts'
import { wireRequest } from './secrets.ts'

/** A connection to a stream. `hello` is sent when it is open, for streams that need a subscription. */
export type StreamRequest = { host: HostName; path: string; query?: HttpRequest['query']; hello?: string }

/** An open socket. The caller gets only text messages. */
export type Socket = { pause: () => void; resume: () => void; terminate: () => void }

/** Opens a socket. `onClose` is called when it is closed. */
export type Connect = (
  url: string,
  on: { hello: string | undefined; onMessage: (text: string) => void; onClose: () => void },
) => Socket

/**
 * Reads the messages of a stream in batches, which may be empty, until it is cancelled. It opens a new connection when
 * a connection closes or is dead. A connection is dead without a message for `silence_s`, even if its socket answers
 * pings. `next` returns the next connection, after the caller got all messages of the previous one.
 */
export type Streams = (
  next: () => StreamRequest,
  options: { silence_s: number; signal: AbortSignal },
) => AsyncGenerator<readonly string[]>

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

async function* readStream(
  tools: StreamTools,
  next: () => StreamRequest,
  { silence_s, signal }: { silence_s: number; signal: AbortSignal },
): AsyncGenerator<readonly string[]> {
  const pause = (ms: number): Promise<unknown> => tools.sleep(ms, signal).catch(() => undefined)
  for (let failures = 0; !signal.aborted; failures += 1) {
    const connection = openConnection(tools, next())
    try {
      while (!signal.aborted) {
        // The messages are taken first, so that those before a close are passed on.
        const isOpen = connection.isOpen()
        const texts = connection.take()
        if (texts.length > 0) failures = 0
        yield texts
        if (!isOpen || connection.silentFor_ms() > silence_s * 1000) break
        await pause(POLL_MS)
      }
    } finally {
      connection.close()
    }
    const backoff_ms = tools.random() * Math.min(BACKOFF_MS.most, BACKOFF_MS.first * 2 ** failures)
    for (let left = backoff_ms; left > 0 && !signal.aborted; left -= POLL_MS) {
      await pause(Math.min(left, POLL_MS))
      yield []
    }
  }
}

type Connection = {
  isOpen: () => boolean
  /** The messages since the last call. */
  take: () => readonly string[]
  silentFor_ms: () => number
  close: () => void
}

function openConnection({ hosts, connect, now_ms }: StreamTools, request: StreamRequest): Connection {
  let buffer: string[] = []
  let buffered = 0
  let isOpen = true
  let heard_ms = now_ms()
  const { path, query } = request
  const { url } = wireRequest(hostOf(hosts, request.host), { host: request.host, path, ...(query && { query }) })
  const socket = connect(url, {
    hello: request.hello,
    onMessage: (text) => {
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
    close: () => socket.terminate(),
  }
}
