import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { WebSocketServer, type WebSocket } from 'ws'

import { createRandom } from '#sim/random.ts'
import type { Micros } from '#time.ts'

/** An event of the stream. `seq` is the cursor; events are numbered without a gap. */
export type FakeEvent = { seq: number; at: Micros }

export type StreamServer = {
  url: string
  /** Everything that happened so far. */
  events: readonly FakeEvent[]
  /** Makes events happen, and sends them to those connected. */
  emit: (n: number, step: Micros) => void
  /** Notifies the connections that time has passed without an event. */
  tick: (at: Micros) => void
  /** Forgets events before this number: they are not sent again. */
  forgetBefore: (seq: number) => void
  /** Sends nothing any more, while it answers pings; new connections are served. */
  goSilent: () => void
  /** Ends the connections of all. */
  drop: () => void
  setFaults: (share: number) => void
  n_connections: () => number
  close: () => Promise<void>
}

/** A websocket stream that resumes after `?cursor=`. With faults it drops connections and repeats what it has sent. */
export async function serveStream(begin: Micros): Promise<StreamServer> {
  const random = createRandom(11, 1)
  const events: FakeEvent[] = []
  const sockets = new Set<WebSocket>()
  let faults = 0
  let kept = 1
  let n_connections = 0
  // Where connections without a cursor begin: events between two of them are not lost, however slow a reconnection is.
  let beginning: number | null = null
  const send = (socket: WebSocket, event: FakeEvent): void => {
    if (random.chance(faults)) return socket.terminate()
    socket.send(JSON.stringify(event))
    if (random.chance(faults))
      for (const again of events.slice(Math.max(0, event.seq - 4), event.seq)) socket.send(JSON.stringify(again))
  }
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.on('connection', (socket, request) => {
    n_connections += 1
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    const cursor = new URL(request.url ?? '/', 'ws://stream').searchParams.get('cursor')
    // The stream begins with the event of the cursor itself, as some upstreams do.
    beginning ??= events.length + 1
    const first = Math.max(cursor === null ? beginning : Number(cursor), kept)
    for (const event of events.slice(first - 1)) send(socket, event)
    sockets.add(socket)
  })
  await once(server, 'listening')
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events,
    emit: (n, step) => {
      for (let i = 0; i < n; i++) {
        const event = { seq: events.length + 1, at: (events.at(-1)?.at ?? begin) + step }
        events.push(event)
        for (const socket of sockets) send(socket, event)
      }
    },
    tick: (at) => sockets.forEach((socket) => socket.send(JSON.stringify({ at }))),
    forgetBefore: (seq) => void (kept = seq),
    goSilent: () => sockets.clear(),
    drop: () => sockets.forEach((socket) => socket.terminate()),
    setFaults: (share) => void (faults = share),
    n_connections: () => n_connections,
    close: async () => {
      for (const socket of server.clients) socket.terminate()
      server.close()
      await once(server, 'close')
    },
  }
}
