import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request as it is sent, and the status that its answer must have. */
export type Load = { request: string; status: number }

/** The number of answers, and the milliseconds of each, in order of arrival. */
export type Measured = { n: number; took_ms: number[] }

/**
 * Sends one request after another on each connection until the time is over, over plain sockets: the generator then
 * needs less of the processor than the server. `next` gives the request of each turn. A connection may pause after each
 * answer. Throws on another status.
 */
export async function load(
  port: number,
  of: { connections: number; seconds: number; pause_ms?: number; next: (turn: number) => Load },
): Promise<Measured> {
  const took_ms: number[] = []
  const end_ms = performance.now() + of.seconds * 1_000
  let turn = 0
  const run = async () => {
    const socket = await open(port)
    while (performance.now() < end_ms) {
      const { request, status } = of.next(turn++)
      const sent_ms = performance.now()
      const answered = await ask(socket, request)
      if (answered !== status) throw new Error(`${request.split('\r\n')[0]}: ${answered}; expected ${status}`)
      took_ms.push(performance.now() - sent_ms)
      if (of.pause_ms !== undefined) await sleep(of.pause_ms)
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: of.connections }, run))
  return { n: took_ms.length, took_ms }
}

/** A GET with a key, as text. */
export const get = (path: string, key: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${more}\r\n`

/** A percentile of durations. */
export const percentile = (took_ms: readonly number[], p: number): number =>
  took_ms.toSorted((a, b) => a - b)[Math.min(took_ms.length - 1, Math.floor(took_ms.length * p))] ?? Number.NaN

const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })

/** Sends a request and waits for the last byte of its answer. Returns the status. */
const ask = (socket: Socket, request: string): Promise<number> =>
  new Promise((resolve, reject) => {
    let status = 0
    let left = -1
    const onData = (chunk: Buffer) => {
      if (left < 0) {
        const end = chunk.indexOf('\r\n\r\n')
        if (end < 0) return reject(new Error('answer: headers over several packets; expected one'))
        const head = chunk.toString('latin1', 0, end)
        status = Number(head.slice(9, 12))
        left = Number(/\r\nContent-Length: (\d+)/i.exec(head)?.[1] ?? 0) - (chunk.length - end - 4)
      } else left -= chunk.length
      if (left > 0) return
      socket.off('data', onData)
      resolve(status)
    }
    socket.on('data', onData)
    socket.write(request, 'latin1')
  })
