import { hostOf, type HostName, type Hosts } from './host.ts'
import type { Timers } from './rate_limiter.ts'
import type { HttpRequest } from './request.ts'
import { wireRequest } from './secrets.ts'

/**
 * A connection to a stream. The texts of `hello` are sent when it is open, for streams that need a subscription. `ping`
 * is a text that keeps it open; the replies to it are no messages.
 */
export type StreamRequest = {
  host: HostName
  path: string
  query?: HttpRequest['query']
  hello?: readonly string[]
  ping?: { text: string; every_s: number; replies: readonly string[] }
  /**
   * The replies to a text of the upstream's protocol, which is no message, or its end, or the messages that it stands
   * for; null: it is a message.
   */
  answer?: (text: string) => Answer
  /** The upstream sends a text of some kind at least this often. A connection without one is closed. */
  heartbeat_s?: number
}

export type Answer = readonly string[] | 'end' | { messages: readonly string[] } | null

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
  on: { hello: readonly string[]; onMessage: (text: string) => void; onClose: () => void },
) => Socket

export type ConnectionTools = Pick<Timers, 'now_ms'> & { hosts: Hosts; connect: Connect }

/** The most buffered characters; a fuller buffer pauses the socket. */
const BUFFER_CHARS = 16_000_000

/** An open connection, or one that was open. */
export type Connection = {
  isOpen: () => boolean
  /** The messages since the last call. */
  take: () => readonly string[]
  silentFor_ms: () => number
  /** Sends the text that keeps the connection open, if it is due. */
  ping: () => void
  close: () => void
}

export function openConnection({ hosts, connect, now_ms }: ConnectionTools, request: StreamRequest): Connection {
  let buffer: string[] = []
  let buffered = 0
  let isOpen = true
  let heard_ms = now_ms()
  let alive_ms = now_ms()
  let pinged_ms = now_ms()
  const { path, query, ping, heartbeat_s = Infinity } = request
  const { url } = wireRequest(hostOf(hosts, request.host), { host: request.host, path, ...(query && { query }) })
  const socket = connect(url, {
    hello: request.hello ?? [],
    onMessage: (text) => {
      alive_ms = now_ms()
      const answer = request.answer?.(text) ?? { messages: [text] }
      if (answer === 'end') {
        isOpen = false
        return
      }
      if (!('messages' in answer)) {
        for (const reply of answer) socket.send(reply)
        return
      }
      if (ping?.replies.includes(text) === true) return
      for (const message of answer.messages) {
        buffer.push(message)
        buffered += message.length
      }
      heard_ms = now_ms()
      if (buffered > BUFFER_CHARS) socket.pause()
    },
    onClose: () => {
      isOpen = false
    },
  })
  return {
    isOpen: () => isOpen && now_ms() - alive_ms <= heartbeat_s * 1000,
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
