import type { IncomingMessage } from 'node:http'
import { pipeline, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip } from 'node:zlib'

// An import evaluates all exports of `node:http`, among them the WebSocket of `fetch`, which takes 30 ms.
const { request: requestHttp } = process.getBuiltinModule('node:http')
const { request: requestHttps } = process.getBuiltinModule('node:https')

/** The parts of a request that `attempt` sets; a subset of those of `fetch`. */
export type Sending = {
  method: string
  headers: Record<string, string>
  body?: string
  /** Redirects are answers. */
  redirect: 'manual'
  signal: AbortSignal
}

/** A response, whose body is read once. Its body is decompressed. */
export type Received = {
  status: number
  headers: Iterable<[string, string]>
  body: AsyncIterable<Uint8Array> | null
}

export type Send = (url: string, sending: Sending) => Promise<Received>

/**
 * Sends a request by `node:http`, which keeps connections open between requests. `fetch` takes twice the CPU, since its
 * streams copy each chunk of a body.
 */
export const sendHttp: Send = (address, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const url = new URL(address)
    // Node would send these in a form of their own, which a secret of the host is not removed from.
    if (`${url.username}${url.password}` !== '')
      throw new Error(`${address}: it has a user or a password; expected an address without them`)
    const request = url.protocol === 'https:' ? requestHttps : requestHttp
    const options = { method, headers: { 'accept-encoding': 'br, gzip', ...headers }, signal }
    request(url, options, (response) =>
      resolve({ status: response.statusCode ?? 0, headers: headersOf(response), body: decompressed(response) }),
    )
      .on('error', reject)
      .end(body)
  })

/** The headers, in lower case. A repeated header is one text, as `fetch` gives it. */
const headersOf = ({ headersDistinct }: IncomingMessage): [string, string][] =>
  Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')])

/** Bodies that end early are read as far as they go: browsers do so, and some servers leave out the end of a stream. */
const decompressors: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
  'x-gzip': () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
}

function decompressed(response: IncomingMessage): AsyncIterable<Uint8Array> {
  const make = decompressors[response.headers['content-encoding']?.trim().toLowerCase() ?? '']
  // The reader of the other stream gets the failures of the response too.
  return make === undefined ? response : pipeline(response, make(), () => undefined)
}
