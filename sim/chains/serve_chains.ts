import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { Clock } from '#time.ts'

import { answerRpc } from './node.ts'
import type { SimulatedChain } from './simulated_chain.ts'

/** Nodes of several chains behind one server. */
export type ServedChains = {
  /** The settings `RPC_<CHAIN>` with the addresses of the nodes. */
  settings: Record<string, string>
  close: () => Promise<void>
}

/** A node of another kind: its answer to the body of a request, as text. */
export type OtherNode = { slug: string; answer: (body: unknown, now_s: number) => string }

/** A body larger than this is no request of a reader. */
const mostBytes = 1_000_000

/** Serves a JSON-RPC node for each chain, below its slug, on a free port of this machine. */
export async function serveChains(
  chains: readonly SimulatedChain[],
  clock: Clock,
  others: readonly OtherNode[] = [],
): Promise<ServedChains> {
  const nodes = [...chains.map(nodeOf), ...others]
  const server = createServer((request, response) => {
    const node = nodes.find(({ slug }) => request.url === `/${slug}`)
    const answer = async (): Promise<void> => {
      const body = await bodyOf(request)
      const headers = { 'content-type': 'application/json' }
      const isAnswered = node !== undefined && body !== undefined
      const text = isAnswered ? node.answer(body, clock() / 1_000_000) : '{}'
      response.writeHead(isAnswered ? 200 : 404, headers).end(text)
    }
    // A reader that leaves within its request, or one request that fails, ends no other.
    answer().catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const settingOf = (slug: string): string => `RPC_${slug.toUpperCase().replaceAll('-', '_')}`
  return {
    settings: Object.fromEntries(nodes.map(({ slug }) => [settingOf(slug), `http://127.0.0.1:${port}/${slug}`])),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const nodeOf = (chain: SimulatedChain): OtherNode => ({
  slug: chain.slug,
  answer: (body, now_s) => JSON.stringify(answerRpc(chain, body, now_s)),
})

/** The JSON of a request; undefined if it is none, or too long. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > mostBytes) return undefined
  }
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
