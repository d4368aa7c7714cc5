import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

import { z } from 'zod'

import { createRandom } from '#sim/random.ts'

/** A block of a fork: its hash says which. It holds as many logs as `n_logs`. */
export type FakeBlock = { number: number; hash: string; parentHash: string; n_logs: number }

export type RpcServer = {
  url: string
  /** The canonical blocks of a chain. */
  blocksOf: (chain: number) => readonly FakeBlock[]
  /** Adds blocks on top of all chains. */
  grow: (n: number) => void
  /** Replaces the last blocks of a chain by others and one more. */
  reorg: (chain: number, depth: number) => void
  /** Sets the share of requests that meet a fault. */
  setFaults: (share: number) => void
  /** Chains that answer nothing but errors. */
  broken: Set<number>
  n_requests: () => number
  close: () => Promise<void>
}

/** Below the head so many blocks may still be replaced. */
export const finality = 12
/** More blocks than this are too many for `eth_getLogs`. */
const maxRange = 10

const call = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) })
const rateLimit = { code: -32_005, message: 'rate limit exceeded' }
const range = z.object({ fromBlock: z.string(), toBlock: z.string() })

/**
 * Chains behind one server, `/<chain>` each, as JSON-RPC nodes show them: 429s, errors inside HTTP 200, ranges that are
 * too large, replicas that lag behind and show no logs yet.
 */
export async function serveChains({ n_chains, n_blocks }: { n_chains: number; n_blocks: number }): Promise<RpcServer> {
  const random = createRandom(7, 1)
  const chains = Array.from({ length: n_chains }, (): FakeBlock[] => [])
  let faults = 0
  let n_requests = 0
  let n_forks = 0
  const broken = new Set<number>()
  const extend = (chain: number, n: number, fork: number): void => {
    const blocks = chains[chain] ?? []
    for (let i = 0; i < n; i++) blocks.push(nextBlock(chain, blocks, fork))
  }
  chains.forEach((_, chain) => extend(chain, n_blocks, 0))

  const answer = (blocks: readonly FakeBlock[], { method, params }: z.infer<typeof call>, lag: number): unknown => {
    if (method === 'eth_blockNumber') return { result: hex(blocks.length - 1 - lag) }
    if (method === 'eth_getBlockByNumber') {
      const number = params[0] === 'finalized' ? blocks.length - 1 - finality : Number(params[0])
      const block = blocks[number]
      return { result: block === undefined ? null : header(block) }
    }
    const asked = range.parse(params[0])
    const [from, to] = [Number(asked.fromBlock), Number(asked.toBlock)]
    if (to - from >= maxRange) return { error: { code: -32_600, message: `limited to a ${maxRange} block range` } }
    return { result: blocks.slice(from, Math.min(to + 1, blocks.length - lag)).flatMap(logsOf) }
  }

  const server = createServer((request, response) => {
    n_requests += 1
    void bodyOf(request).then((body) => {
      const chain = Number(request.url?.split('/')[1])
      if (broken.has(chain)) return response.writeHead(400).end('{"error":"this chain is gone"}')
      if (random.chance(faults)) return response.writeHead(429, { 'retry-after': '0' }).end()
      const calls = z.array(call).parse(JSON.parse(body))
      // A replica that lags behind knows fewer blocks, and has headers of blocks whose logs it does not show yet.
      const lag = random.chance(faults) ? 2 : 0
      const isLimited = random.chance(faults)
      const replies = calls.map((one) => {
        const answered = isLimited ? { error: rateLimit } : (answer(chains[chain] ?? [], one, lag) as object)
        return { id: one.id, jsonrpc: '2.0', ...answered }
      })
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(replies))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    blocksOf: (chain) => chains[chain] ?? [],
    grow: (n) => chains.forEach((_, chain) => extend(chain, n, 0)),
    reorg: (chain, depth) => {
      chains[chain]?.splice(-depth)
      extend(chain, depth + 1, ++n_forks)
    },
    setFaults: (share) => void (faults = share),
    broken,
    n_requests: () => n_requests,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function nextBlock(chain: number, blocks: readonly FakeBlock[], fork: number): FakeBlock {
  const number = blocks.length
  const parentHash = blocks.at(-1)?.hash ?? '0x0'
  const hash = `0x${createHash('sha256').update(`${chain} ${number} ${parentHash} ${fork}`).digest('hex')}`
  return { number, hash, parentHash, n_logs: Number.parseInt(hash.slice(2, 4), 16) % 3 }
}

const hex = (value: number): string => `0x${value.toString(16)}`

const header = ({ number, hash, parentHash, n_logs }: FakeBlock) => ({
  number: hex(number),
  hash,
  parentHash,
  timestamp: hex(blockTime_s(number)),
  logsBloom: hex(n_logs),
})

const logsOf = ({ number, hash, n_logs }: FakeBlock) =>
  Array.from({ length: n_logs }, (_, n) => ({ blockNumber: hex(number), blockHash: hash, logIndex: hex(n) }))

export const blockTime_s = (number: number): number => 1_790_000_000 + number * 12

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
