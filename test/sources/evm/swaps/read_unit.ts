import { z } from 'zod'

import { createHttp } from '#ingest/http/http.ts'
import type { ReadContext } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import { toRows } from '#lake/units/column_batch.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { readUnitBlocks } from '#sources/evm/blocks/read_unit_blocks.ts'
import { swapLogs } from '#sources/evm/blocks/unit_rows.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { endpointsOf } from '#sources/evm/rpc/endpoints.ts'
import { ChainFault, createRpc, type Rpc } from '#sources/evm/rpc/rpc.ts'

/** A node: from the body of a request to that of its answer. */
export type Node = (body: string) => string

/** The reader of a chain over nodes, with a clock that only sleeping advances, and the requests to each node. */
export function readerOver(slug: string, nodes: readonly Node[]): { rpc: Rpc; requests: () => number } {
  const urls = nodes.map((_, n) => `https://node${n}.example${n}`)
  const chain = findChain(slug)
  const hosts = endpointsOf(chain, { rpcUrls: { [slug]: urls }, rpcWorld: 'real' })
  let [now_ms, n_requests] = [1_790_000_000_000, 0]
  const timers = { now_ms: () => now_ms, sleep: async (ms: number) => void (now_ms += ms) }
  const http = createHttp({
    hosts: Object.fromEntries(hosts.map((host) => [host.name, { ...host, requestsPer10s: 1e9 }])),
    random: () => 0.5,
    ...timers,
    fetch: async (url, init) => {
      n_requests += 1
      const node = nodes[urls.indexOf(z.string().parse(url))]
      if (node === undefined) throw new Error('fetch: no such node')
      return new Response(node(z.string().parse(init?.body)))
    },
  })
  const memory = createRpcMemory(timers)
  return { rpc: createRpc(chain, hosts, (request, shape) => http(request, shape), memory), requests: () => n_requests }
}

/** The reading of a unit: its state, `failed` if no endpoint could, and its rows as text. */
export type UnitReading = { state: string; rows: string; gaps: readonly { text: string }[]; proof?: string | undefined }

/** Reads blocks as a unit that is final, without a lake. */
export async function readFinal(rpc: Rpc, { from, to }: { from: number; to: number }): Promise<UnitReading> {
  const unit = unitOf({ name: 'evm_swaps', unit: 'blocks', part: rpc.chain.slug }, { from, to })
  const context = {
    watermark: { head: to, final: to },
    until: to,
    stored: async () => undefined,
    storedBodies: async () => [],
  }
  const read = await readUnitBlocks(rpc, unit, context as unknown as ReadContext, swapLogs).catch((error: unknown) => {
    if (!(error instanceof ChainFault)) throw error
  })
  if (read === undefined) return { state: 'failed', rows: '', gaps: [] }
  const { rows, state, gaps = [], proof } = read
  const text = Object.entries(rows)
    .flatMap(([dataset, batch]) => toRows(batch).map((row) => `${dataset} ${textOf(row)}`))
    .toSorted()
    .join('\n')
  return { state, rows: text, gaps, proof }
}

const textOf = (row: unknown): string =>
  JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
