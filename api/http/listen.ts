import { randomUUID } from 'node:crypto'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

import type { App } from '#api/app.ts'
import { errorBody } from '#api/contract/errors.ts'

/** A listening server. `close` waits for running requests. */
export type Served = { url: string; port: number; close: () => Promise<void> }

/** How long a client may take, in milliseconds. */
export type Timeouts = {
  /** For all headers of a request. */
  headers_ms?: number
  /** For a whole request. */
  request_ms?: number
  /** Without a byte in either direction while a response is unfinished. */
  stalled_ms?: number
}

/** Listens on a port; 0 selects any free port. Rejects if the port is not available. */
export async function serve(app: App, of: { port: number; host?: string; timeouts?: Timeouts }): Promise<Served> {
  const { port, host = '127.0.0.1', timeouts = {} } = of
  const { headers_ms = 20_000, request_ms = 60_000, stalled_ms = 60_000 } = timeouts
  let isClosing = false
  const listener: App = (req, res) => {
    // A client learns from its last answer that the connection ends.
    if (isClosing) res.shouldKeepAlive = false
    app(req, res)
    // A response that the client does not read, or that is still being made. A timer for each request would cost more.
    if (!res.writableFinished) req.socket.setTimeout(stalled_ms)
  }
  const server = createServer(
    {
      // Longer than the timeout of usual load balancers, so that they close idle connections first.
      keepAliveTimeout: 65_000,
      headersTimeout: headers_ms,
      requestTimeout: request_ms,
      connectionsCheckingInterval: Math.min(5_000, headers_ms / 4),
      // The app sends its own error for a missing Host header.
      requireHostHeader: false,
    },
    listener,
  )
  server.on('checkExpectation', listener)
  server.on('clientError', refuse)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(`cannot listen on ${host}:${port}: ${cause.message}`, { cause })))
    server.listen({ port, host }, resolve)
  })
  const bound = (server.address() as AddressInfo).port
  const end = () => {
    isClosing = true
    return close(server)
  }
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, port: bound, close: end }
}

const close = (server: Server) =>
  new Promise<void>((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), 10_000).unref()
  })

type ServedSocket = Duplex & { _httpMessage?: ServerResponse | null }

/**
 * Sends an error response to a request that the parser rejects, and closes the connection. Earlier requests of the
 * connection are answered first: a client takes each response as that to the oldest request without one.
 */
const refuse = (error: Error & { code?: string }, socket: ServedSocket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const earlier = socket._httpMessage
  if (earlier?.req.complete === true) return void earlier.once('close', () => refuse(error, socket))
  // The body of a request is malformed, and its response has begun.
  if (earlier?.headersSent === true) return void earlier.once('close', () => socket.destroy())
  const [status, message] = faults[error.code ?? ''] ?? ['400 Bad Request', 'request: malformed; expected HTTP/1.1.']
  const body = errorBody('invalid_request', message)
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.byteLength}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ]
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]))
}

const faults: Record<string, [status: string, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request: incomplete after 60 s; expected a complete request.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'headers: too large; expected at most 16 KiB.'],
}
