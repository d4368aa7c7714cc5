import { connect } from 'node:net'

/** A response as it was read from a socket. */
export type RawResponse = { status: number; head: string; body: string }

/** Time in which a server would also answer a request that hides in the bytes. */
const grace_ms = 30

/**
 * Sends bytes on a new connection and reads until the server closes it. After `n` whole responses the client ends its
 * side. Throws if the bytes of the server are not whole HTTP responses.
 */
export const exchange = (port: number, bytes: string, n = 1): Promise<RawResponse[]> =>
  new Promise((resolve, reject) => {
    let received = Buffer.alloc(0)
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(Buffer.from(bytes, 'latin1')))
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      const { responses, rest } = responsesOf(received)
      if (rest === 0 && responses.length >= n) setTimeout(() => socket.end(), grace_ms)
    })
    // A server that refuses a request may reset the connection after its answer, while bytes are still sent.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const { responses, rest } = responsesOf(received)
      if (rest === 0) resolve(responses)
      else
        reject(new Error(`response: cut off or not HTTP: ${received.subarray(-rest).toString('latin1').slice(0, 300)}`))
    })
  })

/** The whole responses at the beginning of the bytes, and the number of bytes after them. No request is a `HEAD`. */
const responsesOf = (bytes: Buffer): { responses: RawResponse[]; rest: number } => {
  const responses: RawResponse[] = []
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at)
    if (end < 0) break
    const head = bytes.toString('latin1', at, end)
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? Number.NaN)
    const hasBody = status !== 204 && status !== 304
    const next = end + 4 + (hasBody ? Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]) : 0)
    if (!(next <= bytes.length)) break
    responses.push({ status, head, body: bytes.toString('utf8', end + 4, next) })
    at = next
  }
  return { responses, rest: bytes.length - at }
}
