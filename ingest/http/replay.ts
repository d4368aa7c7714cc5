import type { z } from 'zod'

import { keyOf, targetsOf, type Document, type Get, type HttpRequest, type RequestKey } from './request.ts'
import { HttpError, parseShape, type StoredReply } from './response.ts'

/**
 * A `Get` over stored responses: the same source, without the network. A request that was sent twice has two responses,
 * in the order of their storage. A request without a response is an error. Responses are read as far as they are asked
 * for, and held as long as nothing asks for them.
 */
export function replayHttp(replies: Iterable<StoredReply> | AsyncIterable<StoredReply>): Get {
  const held = new Map<string, StoredReply[]>()
  const left = iteratorOf(replies)
  const take = async (route: string, hosts: readonly string[]): Promise<StoredReply | undefined> => {
    for (;;) {
      const queue = held.get(route) ?? []
      const index = queue.findIndex(({ host }) => hosts.includes(host))
      if (index !== -1) return queue.splice(index, 1)[0]
      const read = await left.next()
      if (read.done === true) return undefined
      const routeQueue = held.get(routeOf(read.value))
      if (routeQueue) routeQueue.push(read.value)
      else held.set(routeOf(read.value), [read.value])
    }
  }
  // Parallel requests follow each other, so that equal ones get their responses in order.
  let turn: Promise<unknown> = Promise.resolve()
  return async (request, shape) => {
    const hosts = targetsOf(request)
    const route = routeOf(keyOf(request))
    const taken = turn.then(() => take(route, hosts))
    turn = taken.catch(() => undefined)
    const reply = await taken
    if (!reply) {
      throw new NotStored(
        `${hosts.join(', ')} ${route}: no stored response; expected a unit that was read with this request`,
      )
    }
    return answerOf(reply, request, shape)
  }
}

async function* iteratorOf<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T, void> {
  yield* items
}

/** The parsed content of a stored response. Throws an `HttpError` if the upstream refused the request. */
export function answerOf<T>({ host, path, status, body }: StoredReply, request: HttpRequest, shape: z.ZodType<T>): T {
  if (request.as === 'document' && (status < 300 || status === 304)) {
    const text = status === 304 ? null : body
    return parseShape(host, path, { text, etag: null, last_modified: null } satisfies Document, shape)
  }
  if (status >= 300) throw new HttpError({ host, path, status, attempts: 1, body, what: `answered ${status}` })
  return parseShape(host, path, request.as === 'text' ? body : JSON.parse(body), shape)
}

/** No response to a request is stored. */
export class NotStored extends Error {
  override name = 'NotStored'
}

/** A request that settles a suspicion. It gives undefined among the stored responses of a reading without one. */
export const settling =
  <Args extends unknown[], Page>(ask: (...args: Args) => Promise<Page>) =>
  (...args: Args): Promise<Page | undefined> =>
    ask(...args).catch((error: unknown) => {
      if (error instanceof NotStored) return undefined
      throw error
    })

/** The identity of a request in one line. */
export const routeOf = ({ method = 'GET', path, query, digest }: RequestKey): string =>
  `${method === 'GET' ? '' : `${method} `}${path}?${query}${digest === undefined ? '' : ` ${digest}`}`
