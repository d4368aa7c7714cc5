import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { percentile } from '#bench/api/load.ts'
import { sized } from '#test/run/sized.ts'

import { startServed } from './served.ts'

const seconds = sized(4, 60)
/** The load, as a multiple of the pages a second that the service makes. */
const times = 10

let served: Awaited<ReturnType<typeof startServed>>
beforeAll(async () => {
  served = await startServed({ isSlow: true })
})
afterAll(() => served.stop())

const agent = new Agent({ keepAlive: true })

type Answered = { status: number; retryAfter: string | undefined; took_ms: number }

let turn = 0
/** Reads a page that no other request of the moment reads. Nothing is cached, so each page is made anew. */
const read = (key: string): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const began_ms = performance.now()
    const path = `/v1/pm-markets?limit=${1 + (turn++ % 1_000)}`
    const headers = { authorization: `Bearer ${key}` }
    const req = request({ port: served.port, host: '127.0.0.1', path, headers, agent }, (res) => {
      res.resume()
      res.on('end', () => {
        const { statusCode: status = 0, headers: of } = res
        resolve({ status, retryAfter: of['retry-after'], took_ms: performance.now() - began_ms })
      })
    })
    req.on('error', reject)
    req.end()
  })

/** The pages that six callers get in a second. */
const capacity = async (key: string): Promise<number> => {
  const began_ms = performance.now()
  let n = 0
  const caller = async () => {
    while (performance.now() - began_ms < 1_500) {
      expect((await read(key)).status).toBe(200)
      n++
    }
  }
  await Promise.all(Array.from({ length: 6 }, caller))
  return n / ((performance.now() - began_ms) / 1_000)
}

/** Sends requests of a key at a rate, whatever becomes of earlier ones. */
const sendAtRate = async (rate: number, key: string): Promise<Answered[]> => {
  const sent: Promise<Answered>[] = []
  const began_ms = performance.now()
  for (;;) {
    const elapsed_s = (performance.now() - began_ms) / 1_000
    if (elapsed_s >= seconds) return Promise.all(sent)
    while (sent.length < elapsed_s * rate) sent.push(read(key))
    await sleep(5)
  }
}

const countOf = (answers: readonly Answered[]): Map<number, number> => {
  const counts = new Map<number, number>()
  for (const { status, retryAfter } of answers) {
    counts.set(status, (counts.get(status) ?? 0) + 1)
    if (status !== 200) expect(retryAfter, String(status)).toMatch(/^[1-9]\d*$/)
  }
  expect([...counts.keys()].filter((status) => ![200, 429, 503].includes(status))).toEqual([])
  return counts
}

test(`at ${times} times its capacity for ${seconds} s the service serves a modest key, sheds load and recovers`, async () => {
  const { pro: modest, enterprise: greedy } = served.keys
  const rate = times * (await capacity(greedy))
  const before = await served.rss()
  // A modest key asks for a quarter of the capacity at most, which a busy machine makes small.
  const modestRate = Math.min(4, rate / times / 4)
  const [ofGreedy, ofModest] = await Promise.all([sendAtRate(rate, greedy), sendAtRate(modestRate, modest)])
  const began_ms = performance.now()
  while ((await read(greedy)).status !== 200) await sleep(50)
  const recovered_ms = performance.now() - began_ms

  const [counts, modestCounts] = [countOf(ofGreedy), countOf(ofModest)]
  const p99_ms = percentile(
    ofModest.map(({ took_ms }) => took_ms),
    0.99,
  )
  process.stdout
    .write(`${rate.toFixed(0)} a second: ${JSON.stringify([...counts])}, recovered in ${recovered_ms.toFixed(0)} ms
modest key: ${JSON.stringify([...modestCounts])}, p99 ${p99_ms.toFixed(0)} ms\n`)
  expect(modestCounts.get(200)).toBeGreaterThan(0.9 * ofModest.length)
  expect(counts.get(200) ?? 0).toBeGreaterThan(0)
  expect((counts.get(429) ?? 0) + (counts.get(503) ?? 0)).toBeGreaterThan(counts.get(200) ?? 0)
  // No request is kept waiting for longer than a query may take, so nothing is left over after five seconds.
  expect(recovered_ms).toBeLessThan(5_000)
  expect((await served.rss()) - before).toBeLessThan(400 * 1024 * 1024)
})
