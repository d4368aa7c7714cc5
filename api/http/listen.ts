import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Server as SocketServer, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

import { z } from 'zod'

import type { App } from '#api/app.ts'
import { errorBody, type ErrorCode } from '#api/contract/errors.ts'

/** A listening server. `close` waits for running requests; the last answer of each connection says that it ends. */
export type Served = { url: string; port: number; close: () => Promise<void> }

/** The time limits of a client, in milliseconds. */
export type Timeouts = {
  /** For all headers of a request. */
  headers_ms?: number
  /** For a whole request. */
  request_ms?: number
  /** Without a byte in either direction while a response is unfinished. */
  stalled_ms?: number
}

/**
 * Half of the files that the process may open. Snapshots and stores are files too, and a client that opens connections
 * must not keep the service from them.
 */
function mostConnections(): number {
  // The report would otherwise look up the names of all peers.
  Object.assign(process.report, { excludeNetwork: true })
  const { open_files } = limits.parse(process.report.getReport()).userLimits
  return Math.floor((typeof open_files.soft === 'number' ? open_files.soft : 20_000) / 2)
}
const limits = z.object({ userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }) })

/**
 * Listens on a port; 0 selects any free port. Rejects if the port is not available. Further `connections` are closed.
 */
export async function serve(
  app: App,
  options: { port: number; host?: string; timeouts?: Timeouts; connections?: number },
): Promise<Served> {
  const { port, host = '127.0.0.1', timeouts = {}, connections = mostConnections() } = options
  const { headers_ms = 20_000, request_ms = 60_000, stalled_ms = 60_000 } = timeouts
  let isClosing = false
  const sockets = new Set<ServedSocket>()
  const listener: App = (req, res) => {
    // A client learns from its last answer that the connection ends.
    if (isClosing) res.shouldKeepAlive = false
    const { socket } = req
    if (hasBody(req)) res.once('finish', () => answered.set(socket, req))
    app(req, res)
    // A response that the client does not read, or that is still being made. A timer for each request would cost more.
    if (!res.writableFinished) socket.setTimeout(stalled_ms)
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
  server.maxConnections = connections
  server.on('checkExpectation', listener)
  server.on('clientError', refuseMalformed)
  server.on('connect', refuseTunnel)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new Error(`cannot listen on ${host}:${port}: ${cause.message}; expected a free port of this machine`, {
          cause,
        }),
      ),
    )
    server.listen({ port, host }, resolve)
  })
  const bound = (server.address() as AddressInfo).port
  const end = () => {
    isClosing = true
    for (const { _httpMessage: running } of sockets) if (running) running.shouldKeepAlive = false
    return close(server)
  }
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, port: bound, close: end }
}

/** A request may be on its way on an idle connection, so idle ones end only after this time. */
const idle_ms = 100

const close = (server: Server) =>
  new Promise<void>((resolve, reject) => {
    // The method of HTTP servers would end idle connections at once.
    SocketServer.prototype.close.call(server, (error) => {
      clearInterval(closing)
      // `close` also ends the timer that looks for slow requests.
      server.close()
      if (error) reject(error)
      else resolve()
    })
    const closing = setInterval(() => server.closeIdleConnections(), idle_ms)
    setTimeout(() => server.closeAllConnections(), 10_000).unref()
  })

type ServedSocket = Duplex & { _httpMessage?: ServerResponse | null }

/** The last request with a body that each connection has an answer to. Its body may still be arriving. */
const answered = new WeakMap<Duplex, IncomingMessage>()

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

type Refusal = { status: string; code: ErrorCode; message: string; lines?: string[] }

/**
 * Sends an error response to a request that the API does not see, and closes the connection. Earlier requests of the
 * connection are answered first: a client takes each response as that to the oldest request without one.
 */
const refuse = (socket: ServedSocket, refusal: Refusal): void => {
  const earlier = socket._httpMessage
  if (earlier?.req.complete === true) return void earlier.once('close', () => refuse(socket, refusal))
  // The body of a request is malformed, and its response has begun.
  if (earlier?.headersSent === true) return void earlier.once('close', () => socket.destroy())
  if (!socket.writable) return void socket.destroy()
  const { status, code, message, lines = [] } = refusal
  const body = errorBody(code, message)
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.byteLength}`,
    `X-Request-Id: ${randomUUID()}`,
    ...lines,
    'Connection: close',
  ]
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]))
  // A client that does not close its side keeps no socket of this process.
  setTimeout(() => socket.destroy(), 1_000).unref()
}

/** Refuses a request that the parser rejects. */
const refuseMalformed = (error: Error & { code?: string }, socket: ServedSocket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  // The client has its answer; another would be taken as that to its next request.
  if (answered.get(socket)?.complete === false) return void socket.destroy()
  const [status, message] = faults[error.code ?? ''] ?? ['400 Bad Request', 'request: malformed; expected HTTP/1.1.']
  refuse(socket, { status, code: 'invalid_request', message })
}

const refuseTunnel = (_req: IncomingMessage, socket: ServedSocket): void => {
  const methods = 'GET, HEAD, POST, DELETE, OPTIONS'
  // Bytes for the tunnel may follow; a connection with unread bytes is reset, and its answer lost.
  socket.on('error', () => undefined).resume()
  refuse(socket, {
    status: '405 Method Not Allowed',
    code: 'method_not_allowed',
    message: `method: not allowed; expected ${methods}.`,
    lines: [`Allow: ${methods}`],
  })
}

const faults: Record<string, [status: string, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'request: incomplete; expected its headers within 20 s, all of it within 60 s.',
  ],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'headers: too large; expected at most 16 KiB.'],
}
