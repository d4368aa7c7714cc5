import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { until } from '#test/run/eventually.ts'
import { loader } from '#test/run/loader.ts'

/** Few, so that a busy machine can send them. */
const perSecond = 10

type Asked = { reader: string; begun_ms: number }

/** A server that notes by whom and when each of its requests was begun. */
async function serveCounted(): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const server = createServer(({ headers }, response) => {
    asked.push({ reader: String(headers['x-reader']), begun_ms: Number(headers['x-begun']) })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** The most requests that began within any window. */
function mostIn(asked: readonly Asked[], window_ms: number): number {
  const times = asked.map(({ begun_ms }) => begun_ms).toSorted((a, b) => a - b)
  return times.reduce((most, begin_ms, n) => {
    const end = times.findIndex((time_ms, m) => m > n && time_ms >= begin_ms + window_ms)
    return Math.max(most, (end < 0 ? times.length : end) - n)
  }, 0)
}

test('two processes of a home send no more to a host than one, which alone sends as many', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-rate-'))
  const { url, asked } = await serveCounted()
  const children: ChildProcess[] = []
  onTestFinished(async () => {
    for (const child of children) {
      const ended = once(child, 'exit')
      if (child.kill('SIGKILL')) await ended
    }
    await rm(home, { recursive: true, force: true })
  })
  const read = (name: string): ChildProcess => {
    const script = [...loader, 'test/pipeline/shared_rate/worker.ts', home, name, url, String(perSecond * 10)]
    const child = spawn(process.execPath, script, { stdio: ['ignore', 'ignore', 'inherit'] })
    children.push(child)
    return child
  }
  const of = (name: string): Asked[] => asked.filter(({ reader }) => reader === name)

  read('first')
  // More than a process of two may send in a window of three seconds: the half of four seconds' worth.
  await until(() => mostIn(of('first'), 3_000) > 2 * perSecond + 2)
  read('second')
  await until(() => of('second').length > 2 * perSecond)

  const together = asked.filter(({ begun_ms }) => begun_ms >= (of('second')[0]?.begun_ms ?? 0))
  expect(new Set(together.map(({ reader }) => reader))).toEqual(new Set(['first', 'second']))
  // The requests of a second may come at once, and those at both ends of a window count.
  for (const seconds of [1, 2, 3, 5])
    expect([seconds, mostIn(asked, seconds * 1_000)]).toEqual([seconds, expect.toSatisfy(atMost(seconds))])
  expect(mostIn(of('second'), 2_000)).toBeLessThanOrEqual(1.5 * perSecond + 2)
})

const atMost =
  (seconds: number) =>
  (n: number): boolean =>
    n <= (seconds + 1) * perSecond + 2
