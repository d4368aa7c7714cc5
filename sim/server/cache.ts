import { mix } from '#sim/random.ts'
import type { Clock } from '#time.ts'

import type { Reply } from './reply.ts'

/** The routes that are cached, by the start of their addresses. */
const routes = /^\/data\/v2\/trades\?/
const maxAge = 300_000_000
/** The age of the rows of which a copy lacks some, in seconds, and one in how many. */
const holes = { younger_s: 300, oneIn: 2 }

/** A copy as it came, and as it is served. Most copies are never served. */
type Copy = { at: number; reply: Reply; body?: string }

/**
 * The cache before the venue. It is keyed by the whole address, unknown parameters included, and ignores the headers of
 * requests. The first response of an address is fresh; its copy is served for five minutes and lacks some new rows.
 */
export function createCache(clock: Clock): (url: string, answer: () => Reply) => Reply {
  const copies = new Map<string, Copy>()
  return (url, answer) => {
    if (!routes.test(url)) return answer()
    const now = clock()
    const copy = copies.get(url)
    if (copy !== undefined && now < copy.at + maxAge) {
      const age_s = Math.floor((now - copy.at) / 1_000_000)
      copy.body ??= withHoles(copy.reply.body, copy.at)
      return { ...copy.reply, body: copy.body, headers: { age: String(age_s), 'cf-cache-status': 'HIT' } }
    }
    for (const [old, { at }] of copies) if (now >= at + maxAge) copies.delete(old)
    const reply = answer()
    if (reply.status === 200) copies.set(url, { at: now, reply })
    return { ...reply, headers: { 'cf-cache-status': 'MISS' } }
  }
}

type Row = { timestamp?: unknown; transaction_hash?: unknown }

/** The body of a page without some of its new rows, the same each time. */
function withHoles(body: string, now: number): string {
  const page = JSON.parse(body) as { data: Row[] }
  const since_s = now / 1_000_000 - holes.younger_s
  const isLacking = ({ timestamp, transaction_hash }: Row): boolean =>
    Number(timestamp) > since_s && mix(7, Number.parseInt(String(transaction_hash).slice(2, 9), 16)) % holes.oneIn === 0
  return JSON.stringify({ ...page, data: page.data.filter((row) => !isLacking(row)) })
}
