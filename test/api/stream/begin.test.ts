import { expect, test } from 'vitest'

import { beginOf } from '#api/stream/begin.ts'
import type { FeedLog } from '#api/stream/feed_log.ts'

const pace = { look_ms: 1, check_ms: 1, comment_ms: 1, await_ms: 5 }

/** A node that knows the signal `sig_1` from the given look on. */
const nodeFrom = (look: number): FeedLog & { looks: () => number } => {
  let n_looks = 0
  return {
    refresh: async () => undefined,
    after: async () => [],
    last: () => 9,
    instantOf: async (id) => (id === 'sig_1' && ++n_looks >= look ? 7 : null),
    looks: () => n_looks,
  }
}
const begin = (log: FeedLog, id?: string) =>
  beginOf(log, { headers: id === undefined ? {} : { 'last-event-id': id }, since: undefined, pace })

test('a stream resumes at a node that reads its last event after another one', async () => {
  const node = nodeFrom(4)
  expect(await begin(node, 'sig_1')).toBe(7)
  expect(node.looks()).toBe(4)
})

test('a last event that stays unknown is refused, and a stream without one begins now', async () => {
  const node = nodeFrom(20)
  await expect(begin(node, 'sig_1')).rejects.toMatchObject({ code: 'invalid_request' })
  expect(node.looks()).toBe(6)
  expect(await begin(node)).toBe(9)
})
