import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy of a node that counts requests and bytes of answers. */
export type CountingProxy = { url: string; counts: { requests: number; bytes: number }; close: () => void }

/** Starts a proxy on the loopback interface. */
export async function startCountingProxy(node: string): Promise<CountingProxy> {
  const counts = { requests: 0, bytes: 0 }
  const server = createServer((request, response) => {
    const forward = async (): Promise<void> => {
      const body = await request.setEncoding('utf8').toArray()
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(node, { method: 'POST', headers, body: body.join('') })
      const bytes = Buffer.from(await answer.arrayBuffer())
      counts.requests += 1
      counts.bytes += bytes.length
      response.writeHead(answer.status, headers).end(bytes)
    }
    forward().catch((error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, counts, close: () => server.close() }
}
