import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import { createMisfortune, failure, type FaultKind, type Faults } from '#sim/server/faults.ts'
import type { Ask, Reply, SocialAnswer } from '#sim/server/reply.ts'
import type { Clock } from '#time.ts'

import { serveJetstream, type JetstreamFaults } from './bluesky_wire/jetstream.ts'
import { feedOf, outletNames } from './feed_wire/feeds.ts'
import { boardOf } from './forum_wire/board.ts'
import { previewsOf } from './html_wire/previews.ts'
import { castsOf } from './json_wire/casts.ts'
import { gdeltOf } from './json_wire/gdelt.ts'
import { messagesOf } from './json_wire/messages.ts'
import { nodeOf } from './json_wire/snapchain.ts'
import { listingsOf } from './json_wire/subreddits.ts'
import { tweetsOf, type Meter } from './json_wire/tweets.ts'
import type { SocialWorld } from './world.ts'

export type ServedSocial = {
  /** The addresses of the simulated hosts, by the names that the sources use. */
  hosts: Record<string, string>
  worldName: string
  /** The number of responses, by host and status. */
  counts: () => Record<string, number>
  /** The posts that the simulated X charged for. */
  charged: () => number
  close: () => Promise<void>
}

export type SocialOptions = {
  world: SocialWorld
  clock: Clock
  faults?: Faults
  jetstream?: JetstreamFaults
  /** Hosts that refuse every request, as some do for clients of data centres. */
  refusing?: readonly string[]
  /** Changes a response: an upstream that misbehaves. */
  twist?: (host: string, ask: Ask, reply: Reply) => Reply
}

/** Serves a world of posts up to the clock, like the platforms, on the loopback interface. */
export async function serveSocial({
  world,
  clock,
  faults = {},
  jetstream = {},
  refusing = [],
  twist = (_host, _ask, reply) => reply,
}: SocialOptions): Promise<ServedSocial> {
  const worldName = String(world.seed)
  const charged: Meter = { posts: 0 }
  const answers = new Map<string, SocialAnswer>([
    ...outletNames.map((outlet): [string, SocialAnswer] => [`news_${outlet}`, feedOf(world, outlet)]),
    ['fourchan', boardOf(world)],
    ['gdelt', gdeltOf(world)],
    ['neynar', castsOf(world)],
    ['snapchain', nodeOf(world)],
    ['reddit', listingsOf(world)],
    ['stocktwits', messagesOf(world)],
    ['telegram_preview', previewsOf(world)],
    ['twitter', tweetsOf(world, charged)],
  ])
  const counts: Record<string, number> = {}
  const misfortune = createMisfortune(faults)
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  server.keepAliveTimeout = 60_000
  const pushed = serveJetstream(server, { world, clock, faults: jetstream })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    hosts: {
      bluesky_jetstream: `ws://127.0.0.1:${port}/jetstream`,
      ...Object.fromEntries([...answers.keys()].map((host) => [host, `${url}/${host}`])),
    },
    worldName,
    counts: () => ({ ...counts }),
    charged: () => charged.posts,
    close: () =>
      new Promise((resolve, reject) => {
        pushed.close()
        server.close((error) => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      }),
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = new URL(request.url ?? '/', 'http://127.0.0.1')
    const [, host = '', ...rest] = asked.pathname.split('/')
    const ask = { path: `/${rest.join('/')}`, query: asked.searchParams }
    const { kind, delay_ms } = misfortune(request.url ?? '')
    const notFound: Reply = { status: 404, body: '' }
    const refused: Reply | undefined = refusing.includes(host)
      ? { status: 403, body: '<h1>Just a moment</h1>' }
      : undefined
    const right =
      refused ??
      (kind === null ? undefined : failure(kind)) ??
      answers.get(host)?.(ask, clock(), request.headers) ??
      notFound
    const reply = twist(host, ask, right)
    const counted = `${host} ${reply.status}`
    counts[counted] = (counts[counted] ?? 0) + 1
    if (delay_ms > 0) await sleep(delay_ms)
    await send(response, { ...reply, headers: { 'x-simulated-world': worldName, ...reply.headers } }, kind)
  }
}

/** Sends a response, or the part of it that a fault leaves. */
async function send(
  response: ServerResponse,
  { status, body, headers }: Reply,
  fault: FaultKind | null,
): Promise<void> {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  const half = Math.floor(body.length / 2)
  if (status !== 200 || (fault !== 'truncated' && fault !== 'reset')) response.end(body)
  else if (fault === 'truncated') response.end(body.slice(0, half))
  else {
    response.write(body.slice(0, half))
    await sleep(30)
    response.destroy()
  }
}
