import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server on the loopback interface. */
export type Server = { url: string; close: () => Promise<void> }

/** Serves the JSON text that a function gives for a request. */
export async function serveAnswers(answer: (request: URL) => string): Promise<Server> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(answer(new URL(request.url ?? '', 'http://127.0.0.1')))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
