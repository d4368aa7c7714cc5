import { encodeQuery, type Get } from './request.ts'
import { HttpError, parseShape, type StoredReply } from './response.ts'

/**
 * A `Get` over stored replies: the same source, without the network. What was asked twice is answered twice, in the
 * order in which it was stored; what was never asked is an error that says so.
 */
export const replayHttp = (replies: Iterable<StoredReply>): Get => {
  const stored = new Map<string, StoredReply[]>()
  for (const reply of replies) {
    const route = `${reply.host} ${reply.path}?${reply.query}`
    const queue = stored.get(route)
    if (queue) queue.push(reply)
    else stored.set(route, [reply])
  }
  return async ({ host, path, query }, shape) => {
    const route = `${host} ${path}?${encodeQuery(query)}`
    const reply = stored.get(route)?.shift()
    if (!reply) throw new Error(`${route} is not among the stored replies: this unit has to be read from the network`)
    const { status, body } = reply
    if (status >= 300) throw new HttpError({ host, path, status, attempts: 1, body, what: `answered ${status}` })
    return parseShape(host, path, JSON.parse(body), shape)
  }
}
