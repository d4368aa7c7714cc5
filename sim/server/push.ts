import type { Server } from 'node:http'

import { WebSocketServer, type WebSocket } from 'ws'

import { mix } from '#sim/random.ts'
import type { Clock, Micros } from '#time.ts'

/** A pushed message before it is sent. Those of one transaction are lost together. */
export type PushedMessage = { tx: number; type: string; payload: Record<string, unknown> }

/** The messages of a feed after an instant, up to another one. */
export type Feed = (from: Micros, to: Micros) => PushedMessage[]

/** The faults of pushed feeds, by the seed. */
export type PushFaults = {
  seed?: number
  /** Milliseconds of the machine after which a connection sends nothing more, about. It stays open and answers pings. */
  mute_ms?: number
  /** The share of transactions that are sent to nobody, and that a connection misses. */
  missed?: number
  lost?: number
  /** Each message is sent twice. */
  repeats?: boolean
  /** The share of frames in another shape: without a type, with a time as text, or with a size that is no number. */
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
      push(opened, feed, { clock, faults, seed: mix(faults.seed ?? 1, n_connections) })
    })
  })
  return () => sockets.clients.forEach((socket) => socket.terminate())
}

/** Sends a feed to a connection from its subscription on. Without the word `action` a subscription is ignored. */
function push(
  socket: WebSocket,
  feed: Feed,
  { clock, faults, seed }: { clock: Clock; faults: PushFaults; seed: number },
): void {
  let since: Micros | undefined
  const muted_ms = performance.now() + (faults.mute_ms ?? Infinity) * (0.5 + share(mix(seed, 3)))
  const send = (): void => {
    if (since === undefined) return
    const now = clock()
    for (const message of feed(since, now)) {
      const isLost =
        share(mix(faults.seed ?? 1, message.tx)) < (faults.missed ?? 0) ||
        share(mix(seed, message.tx)) < (faults.lost ?? 0)
      if (isLost || performance.now() > muted_ms) continue
      const text = frameOf(message, faults.drift ?? 0, mix(seed, message.tx + message.type.length), now)
      for (let n = faults.repeats === true ? 2 : 1; n > 0; n -= 1) socket.send(text)
    }
    since = now
  }
  const timer = setInterval(send, every_ms)
  socket.on('error', () => undefined)
  socket.on('close', () => clearInterval(timer))
  socket.on('message', (data) => {
    const text = Buffer.isBuffer(data) ? data.toString('utf8') : ''
    if (text === 'PING') socket.send('')
    else if (text.includes('"action":"subscribe"')) since ??= clock()
  })
}

/** The text of a frame, in the usual shape or in another one. */
function frameOf({ type, payload }: PushedMessage, drift: number, draw: number, now: Micros): string {
  const usual = { connection_id: 'simulated', topic: 'activity', type, timestamp: Math.round(now / 1000), payload }
  if (share(draw) >= drift) return JSON.stringify(usual)
  const kind = mix(draw, 9) % 3
  if (kind === 0) return JSON.stringify({ connection_id: 'simulated', payload })
  if (kind === 1) return JSON.stringify({ ...usual, payload: { ...payload, timestamp: String(payload['timestamp']) } })
  return JSON.stringify({ ...usual, payload: { ...payload, size: 'twelve' } })
}

const share = (hash: number): number => hash / 0x1_0000_0000
