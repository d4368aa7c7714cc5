import { createServer } from 'node:net'

/** Below the ports that the system hands out to connections and to servers without a port of their own. */
const [least, n_ports] = [10_000, 20_000]

/**
 * A port that is free, for a server that cannot take any free one. By the time the server listens, the system may have
 * given a port of its own range to a connection of another test, or of the server itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = least + Math.floor(Math.random() * n_ports)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}
