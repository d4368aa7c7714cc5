import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

import { expect, onTestFinished, test, vi } from 'vitest'

import { findKey, type Caller } from '#accounts/keys.ts'
import type { Instant } from '#api/contract/instant.ts'
import { openFeedStream } from '#api/stream/feed_stream.ts'
import type { SignalRow } from '#test/api/feed_marts.ts'
import { startService } from '#test/api/service.ts'
import { until } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'

const n_listeners = sized(20, 50, 500)
const n_signals = sized(2_400, 2_400, 4_000)

/** A connection whose other side reads nothing until `resume`, and then all. */
function stalledSocket() {
  const taken: string[] = []
  let waiting: (() => void) | null = null
  let isOpen = false
  const socket = new Socket()
  const take = (text: string, done: () => void): void => {
    taken.push(text)
    if (isOpen) done()
    else waiting = done
  }
  socket._write = (chunk: Buffer | string, _encoding, done) => take(String(chunk), () => done())
  socket._writev = (chunks, done) => take(chunks.map(({ chunk }) => String(chunk)).join(''), () => done())
  const resume = (): void => {
    isOpen = true
    waiting?.()
  }
  return { socket, resume, text: () => taken.join('') }
}

/** A service with a published signal, and further signals. */
async function openWorld() {
  const service = await startService()
  onTestFinished(service.stop)
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const caller = await findKey(service.accounts, service.keys.pro)
  if (caller === null) throw new Error('the key of a service is expected to be valid')
  const stream = openFeedStream(service.marts, ending.signal, { look_ms: 5, check_ms: 20, comment_ms: 20, await_ms: 0 })
  const feed = Array.from({ length: n_signals }, (_, n): SignalRow => {
    const at = new Date(Date.UTC(2026, 2, 1) + n * 1_000).toISOString().slice(0, 23).replace('T', ' ')
    return { id: `sig_${n}`, at, summary: 'x'.repeat(300) }
  })
  await service.publish('before', { feed: feed.slice(0, 1) }, 'pulse')
  const begin = (recheck: () => Caller | null = () => caller, query: { since?: Instant } = {}) => {
    const { socket, resume, text } = stalledSocket()
    const req = new IncomingMessage(socket)
    const res = new ServerResponse(req)
    res.assignSocket(socket)
    socket.on('drain', () => res.emit('drain'))
    return { res, resume, text, opened: stream.open(req, res, { caller, query, recheck }) }
  }
  const open = async (...of: Parameters<typeof begin>) => {
    const begun = begin(...of)
    await begun.opened
    return begun
  }
  const empty = () => service.publish('emptied', { feed: [] }, 'pulse')
  return { feed, caller, ending, begin, open, empty, publish: () => service.publish('after', { feed }, 'pulse') }
}

test('a listener that reads nothing holds one buffer of its connection, however much is published, and loses nothing', async () => {
  const { feed, open, publish } = await openWorld()
  const listeners = await Promise.all(Array.from({ length: n_listeners }, () => open()))
  await publish()
  // All are stopped by their connections.
  await until(() => listeners.every(({ res }) => res.writableNeedDrain))
  const eventBytes = 1_000
  for (const { res } of listeners) expect(res.writableLength).toBeLessThan(res.writableHighWaterMark + eventBytes)

  for (const { resume } of listeners) resume()
  const expected = feed.slice(1).map(({ id }) => id)
  for (const { text } of listeners) {
    await until(() => text().includes(`id: ${expected.at(-1)}\n`))
    expect([...text().matchAll(/^id: (.*)$/gm)].map(([, id]) => id)).toEqual(expected)
  }
})

test('a listener from before signals that the pulse no longer has waits for new ones', async () => {
  const { feed, open, empty, publish } = await openWorld()
  await open()
  await empty()
  const { resume, text } = await open(undefined, { since: { shown: '', at: 0 } })
  resume()
  await publish()
  await until(() => text().includes(`id: ${feed.at(-1)?.id}\n`))
  expect([...text().matchAll(/^id: (.*)$/gm)].map(([, id]) => id)).toEqual(feed.slice(1).map(({ id }) => id))
})

test('a listener that reads nothing is closed when its key ends, and others go on', async () => {
  const { feed, open, publish, caller } = await openWorld()
  let known: Caller | null = caller
  const [ended, other] = [await open(() => known), await open()]
  await publish()
  await until(() => ended.res.writableNeedDrain)
  known = null
  await until(() => ended.res.destroyed)
  other.resume()
  const last = `id: ${feed.at(-1)?.id}\n`
  await until(() => other.text().includes(last))
  expect([...other.text().matchAll(/^id: (.*)$/gm)]).toHaveLength(feed.length - 1)
})

test('a client that leaves before its stream begins is no listener', async () => {
  const { begin, open, caller } = await openWorld()
  const [ofLeft, ofOther] = [vi.fn(() => caller), vi.fn(() => caller)]
  const left = begin(ofLeft)
  left.res.destroy()
  await left.opened
  await open(ofOther)
  await until(() => ofOther.mock.calls.length > 2)
  expect(ofLeft).not.toHaveBeenCalled()
})

test('a stream that begins while all streams end is refused', async () => {
  const { begin, ending } = await openWorld()
  const { opened } = begin()
  ending.abort()
  await expect(opened).rejects.toMatchObject({ code: 'not_ready' })
})
