import type { IncomingMessage, Server } from 'node:http'

import { WebSocketServer, type WebSocket } from 'ws'

import { mix } from '#sim/random.ts'
import { eventAt } from '#sim/social/network.ts'
import type { SocialWorld } from '#sim/social/world.ts'
import type { Clock } from '#time.ts'

import { frameOf } from './frames.ts'

export type JetstreamFaults = {
  seed?: number
  /** About so many frames are sent until a connection is cut off in the middle. */
  dropAfter?: number
  /** The most connections that are cut off. */
  drops?: number
}

export type JetstreamServer = {
  /** The path of the subscription, below the address of the server. */
  path: string
  n_connections: () => number
  close: () => void
}

/** The server keeps events for so long; an older cursor begins at the oldest one without a word. */
const LOOK_BACK_US = 36 * 3_600_000_000
/** A smaller cursor is a sequence number, which counts events from 1. */
const LEAST_TIME = 1e15
/** A connection that does not read gets nothing more until its buffer is empty. */
const MOST_BUFFERED = 4_000_000
const EVERY_MS = 20
const BATCH = 2_000

/** Serves the events of a world up to the clock on a server, by the rules of Jetstream's first protocol. */
export function serveJetstream(
  server: Server,
  { world, clock, faults = {} }: { world: SocialWorld; clock: Clock; faults?: JetstreamFaults },
): JetstreamServer {
  const path = '/jetstream/subscribe'
  const sockets = new WebSocketServer({ noServer: true })
  const left = { drops: faults.drops ?? Infinity, n_connections: 0 }
  server.on('upgrade', (request, socket, head) => {
    if (!request.url?.startsWith(path)) return
    sockets.handleUpgrade(request, socket, head, (opened) => {
      left.n_connections += 1
      const isDropped = faults.dropAfter !== undefined && left.drops > 0
      if (isDropped) left.drops -= 1
      const draw = mix(faults.seed ?? 1, left.n_connections)
      const most = isDropped ? (faults.dropAfter ?? 0) * (0.5 + draw / 0x1_0000_0000) : Infinity
      send(opened, { world, clock, ...subscription(request, world, clock), most })
    })
  })
  return {
    path,
    n_connections: () => left.n_connections,
    close: () => sockets.clients.forEach((socket) => socket.terminate()),
  }
}

/** The first event and the collections of a subscription. Events of accounts are sent to all. */
function subscription({ url = '' }: IncomingMessage, { start, step }: SocialWorld, clock: Clock) {
  const query = new URL(url, 'ws://jetstream').searchParams
  const cursor = Number(query.get('cursor') ?? Infinity)
  const numberAt = (at: number): number => Math.ceil((at - start) / step)
  const [floor, tip] = [numberAt(clock() - LOOK_BACK_US), numberAt(clock() + 1)]
  const wanted = cursor < LEAST_TIME ? cursor - 1 : Number.isFinite(cursor) ? numberAt(cursor) : tip
  return { first: Math.max(0, floor, Math.min(wanted, tip)), collections: new Set(query.getAll('wantedCollections')) }
}

type Subscription = { world: SocialWorld; clock: Clock; first: number; collections: ReadonlySet<string>; most: number }

function send(socket: WebSocket, { world, clock, first, collections, most }: Subscription): void {
  let next = first
  let sent = 0
  const timer = setInterval(() => {
    const due = Math.floor((clock() - world.start) / world.step)
    for (let n = 0; n < BATCH && next <= due && socket.bufferedAmount < MOST_BUFFERED; n++) {
      const { collection, text } = frameOf(world, eventAt(world, next))
      next += 1
      if (collection !== undefined && collections.size > 0 && !collections.has(collection)) continue
      socket.send(text)
      sent += 1
      // The rest of the buffer is lost, as it is when a host goes.
      if (sent >= most) return socket.terminate()
    }
  }, EVERY_MS)
  socket.on('error', () => undefined)
  socket.on('close', () => clearInterval(timer))
}
