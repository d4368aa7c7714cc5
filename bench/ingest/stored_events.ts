import { createHttp } from '#ingest/http/http.ts'
import { unitOf } from '#ingest/units.ts'
import { openLake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { openSwapBatch } from '#sources/evm/blocks/swap_batch.ts'
import { knownEmitters, topicsOf } from '#sources/evm/decode/decode_log.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { endpointsOf } from '#sources/evm/rpc/endpoints.ts'
import { readLogs } from '#sources/evm/rpc/logs.ts'
import { createRpc } from '#sources/evm/rpc/rpc.ts'
import { machineClock, machineTimers, SECOND } from '#time.ts'

/**
 * The swap events alone, from a node to the lake, by the parts of `evm_swaps`: its requests, checks of logs by headers
 * and bloom filters, decoders and the store of units. Transactions, which name the traders, are left out; no command
 * reads so. `stored_events.ts <url> <folder> <blocks>`.
 */
const [url = '', folder = '', blocks = '0'] = process.argv.slice(2)
const concurrency = 4
const chain = findChain('ethereum')
const hosts = endpointsOf(chain, { rpcUrls: { ethereum: [url] }, rpcWorld: 'bench' })
const http = createHttp({
  hosts: Object.fromEntries(hosts.map((host) => [host.name, host])),
  random: Math.random,
  ...machineTimers,
})
const rpc = createRpc(chain, hosts, http, createRpcMemory(machineTimers))
const lake = await openLake(folder, { threads: 1, memory: '1GB' })
const filter = { topics: topicsOf('swaps') }
const known = knownEmitters(chain)

async function store(from: number, to: number): Promise<void> {
  const reading = await readLogs(rpc, filter, { from, to })
  const batch = openSwapBatch(known)
  for (const log of reading.logs) {
    const { block, tx_index, tx, log_index } = log
    const ts = (reading.headers.get(block)?.time_s ?? Number.NaN) * SECOND
    batch.addLog(log, { chain: chain.slug, block, tx_index, tx, log_index, ts })
  }
  const unit = unitOf({ name: 'evm_swaps', unit: 'blocks', part: chain.slug }, { from, to, params: [] })
  const { swaps } = batch.rows()
  const contents = { rows: { swaps }, rejected: batch.rejected, precedence: 1, state: 'done', to } as const
  await storeUnit(lake, unit, { ...contents, asked: [], checkedAt: machineClock() })
}

const end = Number(blocks) + 1
const ranges = Array.from({ length: Math.ceil(end / chain.unit_blocks) }, (_, n) => n * chain.unit_blocks)
const work = async (): Promise<void> => {
  for (let from = ranges.shift(); from !== undefined; from = ranges.shift())
    await store(from, Math.min(end, from + chain.unit_blocks))
}
await Promise.all(Array.from({ length: concurrency }, work))
await lake.close()
