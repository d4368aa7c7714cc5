import { once } from 'node:events'
import { connect, constants, createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'

import type { Certificate } from './certificates.ts'

/** A proxy that ends TLS in front of a Temporal server, as that of Temporal Cloud does. */
export type TlsProxy = { address: string; close: () => Promise<void> }

type Demands = {
  certificate: Certificate
  /** The API key of every request. A refusal repeats the wrong key, as a careless server may. */
  apiKey?: string
  /** The authority that signed the certificates of clients; without it clients need none. */
  clientAuthority?: Certificate
}

export async function serveTls(address: string, { certificate, apiKey, clientAuthority }: Demands): Promise<TlsProxy> {
  const upstream = connect(`http://${address}`)
  // The server is killed before the proxy is closed.
  upstream.on('error', () => undefined)
  const mutual =
    clientAuthority === undefined
      ? {}
      : { ca: clientAuthority.certificate, requestCert: true, rejectUnauthorized: true }
  const server = createSecureServer({ key: certificate.key, cert: certificate.certificate, ...mutual })
  const sessions = new Set<{ destroy: () => void }>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => undefined)
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    if (apiKey === undefined || headers.authorization === `Bearer ${apiKey}`) return forward(stream, headers)
    const refusal = { 'grpc-status': '16', 'grpc-message': `unknown key ${headers.authorization}` }
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...refusal }, { endStream: true })
  })

  const forward = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
    const onward = upstream.request(headers)
    let trailers: IncomingHttpHeaders = {}
    onward.on('response', (head, flags) => {
      // A failed call has a head alone.
      const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
      if (!stream.destroyed) stream.respond(head, endStream ? { endStream } : { waitForTrailers: true })
    })
    onward.on('trailers', (last) => (trailers = last))
    stream.on('wantTrailers', () => stream.sendTrailers(trailers))
    onward.on('error', () => stream.close(constants.NGHTTP2_CANCEL))
    stream.on('close', () => onward.close(constants.NGHTTP2_CANCEL))
    stream.pipe(onward).pipe(stream)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const session of sessions) session.destroy()
      upstream.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
