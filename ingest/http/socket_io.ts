import { z } from 'zod'

import type { StreamRequest } from './connection.ts'

/** The server sends a ping each 25 seconds by default, and waits 20 seconds for its answer. */
const HEARTBEAT_S = 60

/** An event of a namespace, with its first argument. */
export type SocketIoEvent = { name: string; payload: unknown }

/**
 * A connection to one namespace of a Socket.IO server, over a websocket alone: protocol 5 on Engine.IO 4. `events` are
 * sent once the server has accepted the namespace; earlier ones would end the connection. The server's pings are
 * answered. It ends if the server leaves or refuses the namespace.
 */
export const socketIo = (
  namespace: string,
  events: readonly SocketIoEvent[],
): Pick<StreamRequest, 'path' | 'query' | 'answer' | 'heartbeat_s'> => ({
  path: '/socket.io/',
  query: { EIO: 4, transport: 'websocket' },
  heartbeat_s: HEARTBEAT_S,
  answer: (text) => {
    const [engine, packet] = text
    if (engine === '0') return [`40${namespace},`]
    if (engine === '1') return 'end'
    if (engine === '2') return [`3${text.slice(1)}`]
    if (engine === '6') return []
    if (engine !== '4' || !isOf(namespace, text)) return null
    if (packet === '0') return events.map(({ name, payload }) => `42${namespace},${JSON.stringify([name, payload])}`)
    if (packet === '1' || packet === '4') return 'end'
    return packet === '3' ? [] : null
  },
})

const isOf = (namespace: string, text: string): boolean => text.slice(2).startsWith(namespace)

const packetOf = z.tuple([z.string()], z.unknown())

/**
 * The event of a text; null for one of another namespace or another kind. An event without a namespace is of the
 * connection's own. Throws if an event does not parse.
 */
export function socketIoEvent(namespace: string, text: string): SocketIoEvent | null {
  const [, eventNamespace, json] = /^42(?:(\/[^,]*),)?\d*(\[.*)$/s.exec(text) ?? []
  if (json === undefined || (eventNamespace !== undefined && eventNamespace !== namespace)) return null
  const [name, payload] = packetOf.parse(JSON.parse(json))
  return { name, payload }
}
