import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

import { z } from 'zod'

import { readJson } from '#test/recordings/onchain/files.ts'
import { replayRpc, type Mined } from '#test/recordings/onchain/replay_rpc.ts'

import type { Upstreams } from './worlds.ts'

/** The chains of the reviewed trades by the names of their accounts: the end of the setting `RPC_<CHAIN>`, and the id. */
const chains: Record<string, { slug: string; id: number }> = {
  ethereum_accounts: { slug: 'ethereum', id: 1 },
  optimism_accounts: { slug: 'optimism', id: 10 },
  binance_sc_accounts: { slug: 'bsc', id: 56 },
  gnosis_accounts: { slug: 'gnosis', id: 100 },
  polygon_pos_accounts: { slug: 'polygon', id: 137 },
  base_accounts: { slug: 'base', id: 8453 },
  arbitrum_one_accounts: { slug: 'arbitrum', id: 42161 },
}

const trade = z.object({ tx: z.string(), accounts: z.record(z.string(), z.unknown()), fixture: z.string() })
const reviewed = z.record(z.string(), z.record(z.string(), trade))
const recording = z.object({ txs: z.record(z.string(), z.unknown()), receipts: z.record(z.string(), z.unknown()) })

/**
 * Serves a node for each chain of the recorded trades. Each transaction stands in a block of its own, and these follow
 * each other, so that few units hold all of them.
 */
export async function serveRecordedChains(): Promise<Upstreams> {
  const nodes = new Map(
    Object.values(chains).map(({ slug, id }) => {
      const mined = minedOn(slug).map((transaction, n) => inBlock(transaction, 1_000 + n))
      return [`/${slug}`, replayRpc(id, mined)]
    }),
  )
  const server = createServer((request, response) => {
    const node = nodes.get(request.url ?? '')
    text(request)
      .then((body) => response.writeHead(200, { 'content-type': 'application/json' }).end(node?.(body)))
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const settingOf = (path: string): [string, string] => [
    `RPC_${path.slice(1).toUpperCase()}`,
    `http://127.0.0.1:${port}${path}`,
  ]
  return {
    settings: Object.fromEntries([...nodes.keys()].map(settingOf)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The transactions of the reviewed trades on a chain, each once. */
function minedOn(slug: string): Mined[] {
  const trades = Object.values(reviewed.parse(readJson('rotki__rotki/expected_swaps.json'))).flatMap((tests) =>
    Object.values(tests),
  )
  const ofChain = trades.filter(({ accounts }) => chains[Object.keys(accounts)[0] ?? '']?.slug === slug)
  return [...new Map(ofChain.map(({ tx, fixture }) => [tx, fixture]))].map(([tx, fixture]) => {
    const { txs, receipts } = recording.parse(readJson(`rotki__test-caching/${fixture}`))
    return { transaction: txs[tx], receipt: receipts[tx] }
  })
}

const inBlock = (mined: Mined, block: number): Mined =>
  JSON.parse(
    JSON.stringify(mined).replaceAll(/"blockNumber":"0x[\da-f]+"/g, `"blockNumber":"0x${block.toString(16)}"`),
  ) as Mined
