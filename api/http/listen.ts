import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

import type { App } from '#api/app.ts'
import { errorBody } from '#api/contract/errors.ts'

/** A listening server. `close` waits for running requests. */
export type Served = { url: string; port: number; close: () => Promise<void> }

/** Listens on a port; 0 selects any free port. Rejects if the port is not available. */
export async function serve(app: App, of: { port: number; host?: string }): Promise<Served> {
  const { port, host = '127.0.0.1' } = of
  const server = createServer(
    {
      // Longer than the timeout of usual load balancers, so that they close idle connections first.
      keepAliveTimeout: 65_000,
      headersTimeout: 20_000,
      requestTimeout: 60_000,
      connectionsCheckingInterval: 5_000,
      // The app sends its own error for a missing Host header.
      requireHostHeader: false,
    },
    app,
  )
  server.on('checkExpectation', app)
  server.on('clientError', refuse)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(`cannot listen on ${host}:${port}: ${cause.message}`, { cause })))
    server.listen({ port, host }, resolve)
  })
  const bound = (server.address() as AddressInfo).port
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, port: bound, close: () => close(server) }
}

const close = (server: Server) =>
  new Promise<void>((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), 10_000).unref()
  })

/** Sends an error response to a request that the parser rejects, and closes the connection. */
const refuse = (error: Error & { code?: string }, socket: Duplex) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  const [status, message] = faults[error.code ?? ''] ?? ['400 Bad Request', 'request: malformed; expected HTTP/1.1.']
  const body = errorBody('invalid_request', message)
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.byteLength}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ]
  return socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]))
}

const faults: Record<string, [status: string, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request: incomplete after 60 s; expected a complete request.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'headers: too large; expected at most 16 KiB.'],
}
