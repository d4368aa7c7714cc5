import type { Server } from 'node:http'

import { WebSocketServer, type WebSocket } from 'ws'

import { mix } from '#sim/random.ts'
import type { Clock, Micros } from '#time.ts'

/** A pushed message before it is sent. Those of one transaction are lost together. */
export type PushedMessage = { tx: number; type: string; payload: Record<string, unknown> }

/** The shape of a frame: the usual one, or one of three in which the venue drifts. */
export type FrameShape = 'usual' | 'unnamed' | 'retyped' | 'broken'

/** The immediate response to a text: a reply, messages, or the end of the connection. */
export type Heard = { reply?: string; messages?: PushedMessage[]; isRefused?: true }

/** A feed as one connection has it. */
export type Channel = {
  /** The texts of the protocol that are due now, which a mute connection sends too; null ends the connection. */
  protocol?: (now: Micros) => readonly string[] | null
  hear: (text: string, now: Micros) => Heard
  /** The messages after an instant, up to another one, to which the connection has subscribed. */
  due: (from: Micros, to: Micros) => PushedMessage[]
  frame: (message: PushedMessage, shape: FrameShape, now: Micros) => string
}

/** Opens a connection to a feed. */
export type Feed = () => Channel

/** The faults of pushed feeds, by the seed. */
export type PushFaults = {
  seed?: number
  /** The clock of the next two. Default: the machine's. */
  now_ms?: () => number
  /** Milliseconds after which a connection sends nothing more, about. It stays open and answers pings. */
  mute_ms?: number
  /** Milliseconds after which a connection is closed, about. */
  closed_ms?: number
  /** `missed`: the share of transactions that no connection gets. `lost`: the share that one connection misses. */
  missed?: number
  lost?: number
  /** Each message is sent twice. */
  repeats?: boolean
  /** The share of frames in another shape: without a known type, with another type of time, or with a broken number. */
  drift?: number
}

type Options = { feeds: ReadonlyMap<string, Feed>; clock: Clock; faults: PushFaults }
const every_ms = 50

/** Serves feeds over websockets, below the paths of their hosts. Returns the function that closes the connections. */
export function servePush(server: Server, { feeds, clock, faults }: Options): () => void {
  const sockets = new WebSocketServer({ noServer: true })
  let n_connections = 0
  server.on('upgrade', (request, socket, head) => {
    const feed = feeds.get(/^\/(\w+)/.exec(request.url ?? '')?.[1] ?? '')
    if (feed === undefined) {
      socket.destroy()
      return
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      n_connections += 1
      push(opened, feed(), { clock, faults, seed: mix(faults.seed ?? 1, n_connections) })
    })
  })
  return () => sockets.clients.forEach((socket) => socket.terminate())
}

/** Sends a feed to a connection. A mute connection still replies. */
function push(
  socket: WebSocket,
  channel: Channel,
  { clock, faults, seed }: { clock: Clock; faults: PushFaults; seed: number },
): void {
  let since = clock()
  const now_ms = faults.now_ms ?? (() => performance.now())
  const muted_ms = now_ms() + (faults.mute_ms ?? Infinity) * (0.5 + share(mix(seed, 3)))
  const closed_ms = now_ms() + (faults.closed_ms ?? Infinity) * (0.5 + share(mix(seed, 4)))
  const send = (messages: readonly PushedMessage[], now: Micros): void => {
    for (const message of messages) {
      const isLost =
        share(mix(faults.seed ?? 1, message.tx)) < (faults.missed ?? 0) ||
        share(mix(seed, message.tx)) < (faults.lost ?? 0)
      if (isLost || now_ms() > muted_ms) continue
      const shape = shapeOf(faults.drift ?? 0, mix(seed, message.tx + message.type.length))
      const text = channel.frame(message, shape, now)
      for (let n = faults.repeats === true ? 2 : 1; n > 0; n -= 1) socket.send(text)
    }
  }
  const keep = (now: Micros): void => {
    const texts = channel.protocol?.(now) ?? (channel.protocol === undefined ? [] : null)
    if (texts === null || now_ms() > closed_ms) return socket.terminate()
    for (const text of texts) socket.send(text)
  }
  keep(since)
  const timer = setInterval(() => {
    const now = clock()
    keep(now)
    send(channel.due(since, now), now)
    since = now
  }, every_ms)
  socket.on('error', () => undefined)
  socket.on('close', () => clearInterval(timer))
  socket.on('message', (data) => {
    const now = clock()
    const heard = channel.hear(Buffer.isBuffer(data) ? data.toString('utf8') : '', now)
    if (heard.isRefused === true) return socket.terminate()
    if (heard.reply !== undefined) socket.send(heard.reply)
    send(heard.messages ?? [], now)
  })
}

const drifted = ['unnamed', 'retyped', 'broken'] as const

const shapeOf = (drift: number, draw: number): FrameShape =>
  share(draw) >= drift ? 'usual' : (drifted[mix(draw, 9) % drifted.length] ?? 'usual')

const share = (hash: number): number => hash / 0x1_0000_0000
