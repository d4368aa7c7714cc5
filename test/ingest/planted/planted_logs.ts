import { z } from 'zod'

import type { Host } from '#ingest/http/host.ts'
import type { Get, Json } from '#ingest/http/request.ts'
import { defineSource, type NewRow, type Part, type ReadContext, type ReadResult, type Source } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import type { Unit } from '#lake/units/unit.ts'

/** Blocks of a unit. */
export const grid = 32
/** An upstream that contradicts itself is asked so many times. */
const maxAttempts = 12

/** The logs of many chains, as quotes, and their blocks, as resolutions: two datasets of which a fork replaces both. */
export const plantedLogs = (n_chains: number): Source => {
  const source: Source = defineSource({
    name: 'planted_logs',
    doc: 'The logs of chains over JSON-RPC.',
    parts: Array.from({ length: n_chains }, (_, n) => partAt(n)) as unknown as readonly [Part, ...Part[]],
    datasets: ['quotes', 'resolutions'],
    unit: 'blocks',
    precedence: 1,
    lag_s: 0,
    settle_s: 0,
    grid_s: 1,
    follow: { group: 'planted' },
    typical: { requests: 3, rows: 30, bytes: 10_000 },
    watermark: async (part, { get }) => {
      const [head, final] = await rpc(get, part, [
        ['eth_blockNumber', []],
        ['eth_getBlockByNumber', ['finalized', false]],
      ])
      return { head: Number(z.string().parse(head)) + 1, final: Number(headerShape.parse(final).number) + 1 }
    },
    plan: async ({ part, watermark }) => {
      const units: Unit[] = []
      for (let from = 0; from < watermark.head; from += grid)
        units.push(unitOf({ name: source.name, unit: 'blocks', part: part.name }, { from, to: from + grid }))
      return units
    },
    read: async (unit, context) => {
      for (let attempt = 1; ; attempt++) {
        const read = await readRange(unit, context)
        if (typeof read !== 'string') return read
        if (attempt === maxAttempts) throw new Error(`${unit.part}: ${read}`)
      }
    },
  })
  return source
}

export const chainName = (n: number): string => `chain_${n}`
/** The node of a chain; a test sets its address. */
export const chainHost = (n: number): Host => ({
  name: chainName(n),
  doc: 'A node of a planted chain.',
  url: 'http://127.0.0.1',
  requestsPer10s: 1_000_000,
  concurrency: 4,
})
const partAt = (n: number): Part => ({ name: chainName(n), upstreams: [chainHost(n)] })

const headerShape = z.object({
  number: z.string(),
  hash: z.string(),
  parentHash: z.string(),
  timestamp: z.string(),
  logsBloom: z.string(),
})
const logShape = z.object({ blockNumber: z.string(), blockHash: z.string(), logIndex: z.string() })

/** The rows of a range of blocks, or why its answers do not belong together. */
async function readRange({ part: chain, from, to }: Unit, context: ReadContext): Promise<ReadResult | string> {
  const end = Math.min(to ?? Infinity, context.until)
  const { get, part } = context
  const logs = await logsOf(get, part, { from, to: end - 1 })
  const numbers = Array.from({ length: end - from }, (_, n) => from + n)
  const calls = numbers.map((n): Call => ['eth_getBlockByNumber', [hex(n), false]])
  const headers = z.array(headerShape.nullable()).parse(await rpc(get, part, calls))
  const blocks = headers.flatMap((header) => header ?? [])
  if (blocks.length < headers.length) return 'the node does not have all blocks'
  const quotes: NewRow<'quotes'>[] = []
  for (const [n, block] of blocks.entries()) {
    if (n > 0 && block.parentHash !== blocks[n - 1]?.hash) return 'two headers are of different forks'
    const own = logs.filter(({ blockNumber }) => blockNumber === block.number)
    if (own.some(({ blockHash }) => blockHash !== block.hash)) return 'a log is of another fork than its block'
    if (own.length !== Number(block.logsBloom)) return 'the node does not show all logs of a block'
    const ts = Number(block.timestamp) * 1_000_000
    quotes.push(
      ...own.map(({ logIndex }) => quoteOf(`${chain}:${Number(block.number)}:${Number(logIndex)}`, ts, block.hash)),
    )
  }
  const resolutions = blocks.map(({ number, hash, timestamp }) => ({
    market_id: `${chain}:${Number(number)}`,
    ts: Number(timestamp) * 1_000_000,
    venue: chain,
    payouts: [],
    status: hash,
    tx: null,
  }))
  return { rows: { quotes, resolutions }, rejected: [], state: 'complete', proof: 'headers and logs agree' }
}

const quoteOf = (market_id: string, ts: number, venue: string): NewRow<'quotes'> => ({
  market_id,
  ts,
  period_s: 0,
  venue,
  bid: null,
  ask: null,
  last: null,
  size: null,
  volume_24h_usd: null,
  size_24h: null,
  venue_price: null,
  liquidity_usd: null,
})

/** The logs of a range, which is halved where it is too large for the node. */
async function logsOf(
  get: Get,
  part: Part,
  { from, to }: { from: number; to: number },
): Promise<z.infer<typeof logShape>[]> {
  try {
    const [logs] = await rpc(get, part, [['eth_getLogs', [{ fromBlock: hex(from), toBlock: hex(to) }]]])
    return z.array(logShape).parse(logs)
  } catch (error) {
    if (!(error instanceof Error && /block range/.test(error.message)) || from === to) throw error
    const middle = Math.floor((from + to) / 2)
    return [...(await logsOf(get, part, { from, to: middle })), ...(await logsOf(get, part, { from: middle + 1, to }))]
  }
}

type Call = readonly [method: string, params: readonly Json[]]

const replyShape = z.array(
  z.object({ id: z.number(), result: z.unknown().optional(), error: z.object({ message: z.string() }).optional() }),
)

/** The results of a batch. It is sent again where the node had too much of any call. */
async function rpc(get: Get, { upstreams: [host] }: Part, calls: readonly Call[]): Promise<unknown[]> {
  const body = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
  for (let attempt = 1; ; attempt++) {
    const replies = await get({ host: host.name, path: '/', method: 'POST', body }, replyShape)
    const failed = replies.find(({ error }) => error !== undefined)?.error
    if (failed === undefined) return replies.toSorted((a, b) => a.id - b.id).map(({ result }) => result)
    if (attempt === maxAttempts || !failed.message.includes('rate limit')) throw new Error(failed.message)
  }
}

const hex = (value: number): string => `0x${value.toString(16)}`
