import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'

import { startServed } from './served.ts'

/** The pages that a modest key reads, one after the other. */
const pages = sized(5, 8, 20)
/** Callers of a greedy key: more than the uncached reads of an account that run at once. */
const callers = 160

let served: Awaited<ReturnType<typeof startServed>>
beforeAll(async () => {
  served = await startServed({ isSlow: true })
})
afterAll(() => served.stop())

/** It closes an idle connection before the service does, so that no request is sent on one that is closing. */
const agent = new Agent({ keepAlive: true, timeout: 20_000 })

type Answered = { status: number; retryAfter: string | undefined }

let turn = 0
/** Reads a page that no other request of the moment reads. Nothing is cached, so each page is made anew. */
const read = (key: string): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const path = `/v1/pm-markets?limit=${1 + (turn++ % 1_000)}`
    const headers = { authorization: `Bearer ${key}` }
    const req = request({ port: served.port, host: '127.0.0.1', path, headers, agent }, (res) => {
      res.resume()
      res.on('end', () => resolve({ status: res.statusCode ?? 0, retryAfter: res.headers['retry-after'] }))
    })
    req.on('error', reject)
    req.end()
  })

/** Reads one page after the other until it is over. A caller that was refused asks again soon, as no client should. */
const readUntil = async (isOver: () => boolean, key: string): Promise<Answered[]> => {
  const answers: Answered[] = []
  while (!isOver()) {
    const answer = await read(key)
    answers.push(answer)
    if (answer.status !== 200) await sleep(50)
  }
  return answers
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

const shareOf = (counts: ReadonlyMap<number, number>, status: number): number => {
  const all = [...counts.values()].reduce((sum, n) => sum + n, 0)
  return (counts.get(status) ?? 0) / all
}

test(`beside ${callers} callers of a greedy key the service serves a modest one, sheds load and recovers`, async () => {
  const { pro: modest, enterprise: greedy } = served.keys
  const before = await served.used()
  const ofModest: Answered[] = []
  const isOver = () => ofModest.length >= pages
  const reading = Promise.all(Array.from({ length: callers }, () => readUntil(isOver, greedy)))
  while (!isOver()) ofModest.push(await read(modest))
  const [counts, modestCounts] = [countOf((await reading).flat()), countOf(ofModest)]
  process.stdout.write(`greedy: ${JSON.stringify([...counts])}, modest: ${JSON.stringify([...modestCounts])}\n`)

  // No times and no rates: a machine that stands still at times slows both keys alike.
  expect(counts.get(200) ?? 0).toBeGreaterThan(0)
  expect(shareOf(counts, 200)).toBeLessThan(0.5)
  expect(shareOf(modestCounts, 200)).toBeGreaterThan(2 * shareOf(counts, 200))
  // Every request was answered, so nothing is left over.
  expect((await read(greedy)).status).toBe(200)
  expect((await served.used()).rss - before.rss).toBeLessThan(400 * 1024 * 1024)
})
