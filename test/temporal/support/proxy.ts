import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A way to a simulated world that notes what it is asked for, and holds some of it until `release`. */
export type Tap = { url: string; asked: string[]; release: () => void; close: () => Promise<void> }

/** Passes on the requests for the first markets that are asked for, and holds those for others. */
export async function tapWorld(url: string, { n_markets }: { n_markets: number }): Promise<Tap> {
  const asked: string[] = []
  const markets = new Set<string>()
  const isHeld = (path: string): boolean => {
    const [market] = /0x[0-9a-f]{62,64}/.exec(path) ?? []
    if (market !== undefined && markets.size < n_markets) markets.add(market)
    return market !== undefined && !markets.has(market)
  }
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const onward = request(`${url}${incoming.url}`, { headers: incoming.headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 500, reply.headers)
      reply.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    onward.end()
  }
  const server = createServer((incoming, outgoing) => {
    asked.push(incoming.url ?? '')
    if (isHeld(incoming.url ?? '')) void released.then(() => pass(incoming, outgoing))
    else pass(incoming, outgoing)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    release,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
