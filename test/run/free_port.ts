import { createServer } from 'node:net'

/**
 * A port that is free, for a server that can be told no other. It lies below those that the system hands out: by the
 * time the server listens, the system may have given any of these to a connection of another test, or of the server
 * itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}
