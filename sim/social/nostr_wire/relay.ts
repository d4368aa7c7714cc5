import { createHash } from 'node:crypto'
import type { Server } from 'node:http'

import { WebSocketServer, type WebSocket } from 'ws'

import { hexText, mix } from '#sim/random.ts'
import { isRemoved, REMOVED_AFTER } from '#sim/social/json_wire/paging.ts'
import { postsOf, type PlatformPost } from '#sim/social/platform_posts.ts'
import type { SocialWorld } from '#sim/social/world.ts'
import type { Clock, Micros } from '#time.ts'

/** An event as a relay sends it. */
export type RelayEvent = {
  id: string
  pubkey: string
  created_at: number
  kind: number
  tags: string[][]
  content: string
  sig: string
}

export type RelayFaults = {
  /** A connection is cut off after so many messages. */
  dropAfter?: number
  /** Whether some events are changed on the way, so that their ids are wrong. */
  forges?: boolean
  /** The most stored events that a request is shown. */
  mostShown?: number
  /** Requests for events up to an instant are refused by such a message. */
  refusesOlder?: 'CLOSED' | 'NOTICE'
}

/** The hashtag of posts about assets. Others have the second one. */
export const hashtags = ['bitcoin', 'cats'] as const
export const pubkeyOf = ({ seed }: SocialWorld, author: number): string => hexText(seed, 81, author, 64)

function signed(fields: Omit<RelayEvent, 'id' | 'sig'>): RelayEvent {
  const { pubkey, created_at, kind, tags, content } = fields
  const id = createHash('sha256')
    .update(JSON.stringify([0, pubkey, created_at, kind, tags, content]))
    .digest('hex')
  return { id, ...fields, sig: '0'.repeat(128) }
}

/** The event of a post. */
export const textEvent = (world: SocialWorld, { at, author, text, asset }: PlatformPost): RelayEvent =>
  signed({
    pubkey: pubkeyOf(world, author),
    created_at: Math.floor(at / 1_000_000),
    kind: 1,
    tags: [['t', hashtags[asset === null ? 1 : 0]]],
    content: text,
  })

/** The requests to delete a post: by its author after an hour, and at once by another author, which has no effect. */
function deletions(world: SocialWorld, post: PlatformPost): RelayEvent[] {
  const tags = [['e', textEvent(world, post).id]]
  const by = (author: number, at: Micros): RelayEvent =>
    signed({ pubkey: pubkeyOf(world, author), created_at: Math.floor(at / 1_000_000), kind: 5, tags, content: '' })
  const authored = isRemoved(post) ? [by(post.author, post.at + REMOVED_AFTER)] : []
  return mix(post.n, 82) % 4 === 0 ? [...authored, by(post.author + 1, post.at + 1_000_000)] : authored
}

/** All events of a world up to an instant, in the order of time. */
const eventsBy = (world: SocialWorld, now: Micros): RelayEvent[] =>
  postsOf(world, 'nostr', world.start, now)
    .flatMap((post) => [textEvent(world, post), ...deletions(world, post)])
    .filter(({ created_at }) => created_at * 1_000_000 <= now)
    .toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))

type Filter = { kinds: number[]; '#t'?: string[]; since?: number; until?: number; limit?: number }

const isWanted = (
  { kind, tags, created_at }: RelayEvent,
  { kinds, since = 0, until = Infinity, '#t': wanted }: Filter,
): boolean =>
  kinds.includes(kind) &&
  created_at >= since &&
  created_at <= until &&
  (wanted === undefined || tags.some(([name, value = '']) => name === 't' && wanted.includes(value)))

/** Serves the events of a world up to the clock on a path of a server, by the rules of NIP-01. */
export function serveRelay(
  server: Server,
  { path, world, clock, faults = {} }: { path: string; world: SocialWorld; clock: Clock; faults?: RelayFaults },
): { close: () => void } {
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (request.url?.startsWith(path))
      sockets.handleUpgrade(request, socket, head, (opened) => serve(opened, world, clock, faults))
  })
  return { close: () => sockets.clients.forEach((socket) => socket.terminate()) }
}

function serve(
  socket: WebSocket,
  world: SocialWorld,
  clock: Clock,
  { dropAfter = Infinity, forges = false, mostShown = Infinity, refusesOlder }: RelayFaults,
): void {
  const subscriptions = new Map<string, { filter: Filter; sent: Set<string> }>()
  let n_sent = 0
  const send = (...message: unknown[]): void => {
    n_sent += 1
    if (n_sent > dropAfter) socket.terminate()
    else socket.send(JSON.stringify(message))
  }
  const sendNew = (name: string, isNewestFirst: boolean): void => {
    const subscription = subscriptions.get(name)
    if (subscription === undefined) return
    const { filter, sent } = subscription
    const events = eventsBy(world, clock()).filter((event) => !sent.has(event.id) && isWanted(event, filter))
    const shown = isNewestFirst ? events.toReversed().slice(0, Math.min(mostShown, filter.limit ?? Infinity)) : events
    for (const event of events) sent.add(event.id)
    for (const [n, event] of shown.entries()) {
      if (forges && n % 10 === 3) send('EVENT', name, { ...event, content: `${event.content} $ETH` })
      send('EVENT', name, event)
    }
  }
  let seenAt = clock()
  const timer = setInterval(() => {
    if (clock() === seenAt) return
    seenAt = clock()
    for (const name of subscriptions.keys()) sendNew(name, false)
  }, 50)
  socket.on('message', (data: Buffer) => {
    const [kind, name, filter] = JSON.parse(data.toString()) as [string, string, Filter]
    if (kind !== 'REQ') return
    const isOlder = filter.until !== undefined
    if (isOlder && refusesOlder === 'CLOSED') return send('CLOSED', name, 'blocked: no older events')
    // A notice names no subscription.
    if (isOlder && refusesOlder === 'NOTICE') return send('NOTICE', 'ERROR: too many concurrent REQs')
    subscriptions.set(name, { filter, sent: new Set() })
    sendNew(name, true)
    send('EOSE', name)
  })
  send('NOTICE', 'welcome')
  socket.on('error', () => undefined)
  socket.on('close', () => clearInterval(timer))
}
