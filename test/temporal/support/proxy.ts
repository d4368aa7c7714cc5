import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A way to a simulated world that notes what it is asked for, and takes its time. */
export type Tap = { url: string; asked: string[]; close: () => Promise<void> }

export async function tapWorld(url: string, { delay_ms }: { delay_ms: number }): Promise<Tap> {
  const asked: string[] = []
  const server = createServer((incoming, outgoing) => {
    asked.push(incoming.url ?? '')
    setTimeout(() => {
      const onward = request(`${url}${incoming.url}`, { headers: incoming.headers }, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 500, reply.headers)
        reply.pipe(outgoing)
      })
      onward.on('error', () => outgoing.destroy())
      onward.end()
    }, delay_ms)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
