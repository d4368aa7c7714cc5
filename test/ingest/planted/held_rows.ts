import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'

import { chainName } from './planted_logs.ts'
import type { FakeBlock, RpcServer } from './rpc_server.ts'
import type { StreamServer } from './stream_server.ts'

type ChainRows = Record<'blocks' | 'logs', string[]>

const rowShape = z.object({ id: z.string(), hash: z.string() })

/** The blocks and logs that a lake holds, each with the hash of its block. */
export const heldBy = (lake: Lake): Promise<ChainRows> =>
  lake.read(async ({ query }) => {
    const own = "where source = 'planted_logs'"
    const blocks = await query(`select market_id as id, status as hash from lake.resolutions ${own}`, rowShape)
    const logs = await query(`select market_id as id, venue as hash from lake.quotes ${own}`, rowShape)
    return { blocks: blocks.map(nameOf).toSorted(), logs: logs.map(nameOf).toSorted() }
  })

const nameOf = ({ id, hash }: z.infer<typeof rowShape>): string => `${id} ${hash}`

/** The blocks and logs that the chains of a server hold. */
export function truthOf(server: RpcServer, chains: readonly number[]): ChainRows {
  const all = chains.flatMap((chain) => server.blocksOf(chain).map((block) => ({ chain, block })))
  const logs = ({ chain, block }: { chain: number; block: FakeBlock }): string[] =>
    Array.from({ length: block.n_logs }, (_, n) => `${chainName(chain)}:${block.number}:${n} ${block.hash}`)
  return {
    blocks: all.map(({ chain, block }) => `${chainName(chain)}:${block.number} ${block.hash}`).toSorted(),
    logs: all.flatMap(logs).toSorted(),
  }
}

/** The chains below a number. */
export const upTo = (n: number): number[] => Array.from({ length: n }, (_, chain) => chain)

/** The events of the stream that a lake holds. */
export const storedSeqs = (lake: Lake): Promise<number[]> =>
  lake.read(async ({ query }) => {
    const sql = "select market_id as id from lake.quotes where source = 'planted_stream'"
    const rows = await query(sql, z.object({ id: z.string() }))
    return rows.map(({ id }) => Number(id.split(':')[1])).toSorted((a, b) => a - b)
  })

/** The events that a server has sent. */
export const seqsOf = (server: StreamServer): number[] => server.events.map(({ seq }) => seq)
