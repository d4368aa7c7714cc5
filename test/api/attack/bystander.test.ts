import { connect, type Socket } from 'node:net'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { load, percentile } from '#bench/api/load.ts'
import { sized } from '#test/run/sized.ts'

import { hostileRequests, mutated, randomFrom, requestOf } from './hostile.ts'
import { startServed } from './served.ts'

const seconds = sized(1, 4)
const callers = 8
/** The noise of a scheduler, which a ratio of small times would show as a difference. */
const noise_ms = 25

let served: Awaited<ReturnType<typeof startServed>>
let slow: Socket[] = []
beforeAll(async () => {
  served = await startServed()
})
afterAll(async () => {
  for (const socket of slow) socket.destroy()
  await served.stop()
})

/** Sends requests on new connections, each closed after a moment, until the time is over. */
const attack = async (bytesOf: (i: number) => string) => {
  const end_ms = performance.now() + seconds * 1_000
  let i = 0
  const caller = async () => {
    while (performance.now() < end_ms) await sendAndLeave(bytesOf(i++))
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

/** Sends bytes, and closes after the first bytes of the answer, or at once if the request has no end. */
const sendAndLeave = (bytes: string): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect({ port: served.port, host: '127.0.0.1' }, () => socket.write(Buffer.from(bytes, 'latin1')))
    const timer = setTimeout(() => socket.destroy(), 50)
    socket.on('data', () => socket.destroy())
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** The bystander's 99th percentile while a load runs. */
const p99During = async (bytesOf: (i: number) => string): Promise<number> => {
  const own = { request: requestOf({ key: served.keys.pro }), status: 200 }
  const [measured] = await Promise.all([
    load(served.port, { connections: 2, seconds, next: () => own }),
    attack(bytesOf),
  ])
  return percentile(measured.took_ms, 0.99)
}

test('an attack at most doubles the time of a bystander, compared with the same load of valid requests', async () => {
  const key = served.keys.enterprise
  const random = randomFrom(11)
  const cases = hostileRequests(key).map(({ bytes }) => bytes)
  const valid = requestOf({ key, lines: ['Connection: close'] })
  const hostile = (i: number) => (i % 2 === 0 ? (cases[(i / 2) % cases.length] ?? '') : mutated(valid, random))
  await p99During(() => valid)
  const [quiet, attacked]: [number[], number[]] = [[], []]
  // Other work of the machine may fall into one phase, so phases alternate until their medians agree or the rounds end.
  for (let round = 0; round < 8; round++) {
    quiet.push(await p99During(() => valid))
    slow = slow.concat(Array.from({ length: 50 }, () => connect({ port: served.port, host: '127.0.0.1' })))
    for (const socket of slow) socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nX: y')
    attacked.push(await p99During(hostile))
    for (const socket of slow.splice(0)) socket.destroy()
    const isEnough = round >= 2 && percentile(attacked, 0.5) <= 2 * percentile(quiet, 0.5)
    if (isEnough) break
  }
  const [before, during] = [percentile(quiet, 0.5), percentile(attacked, 0.5)]
  process.stdout.write(`p99 of a bystander: ${before.toFixed(1)} ms, under attack ${during.toFixed(1)} ms\n`)
  expect(during).toBeLessThanOrEqual(2 * before + noise_ms)
})
