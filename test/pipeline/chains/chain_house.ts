import { z } from 'zod'

import { createActivities, type Activities, type IngestionQueue } from '#activities/index.ts'
import { parseConfig } from '#config.ts'
import { createHttp } from '#ingest/http/http.ts'
import type { Lake } from '#lake/lake.ts'
import type { EvmWorld } from '#sim/evm/world.ts'
import { evmAccountsOf } from '#sources/evm/evm_accounts.ts'
import { evmSwapsOf } from '#sources/evm/evm_swaps.ts'
import { evmTracesOf } from '#sources/evm/evm_traces.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { sources } from '#sources/index.ts'
import { tinyTools } from '#test/ingest/tiny.ts'
import type { ReadChain } from '#test/sources/evm/swaps/runs.ts'
import { machineTimers } from '#time.ts'

/**
 * The blocks of a stretch of an account, the queue of requested addresses, and a part of the names of methods that the
 * node refuses.
 */
type More = { size?: number; requests?: IngestionQueue; refused?: string }

/**
 * Activities that read a simulated chain whole into a lake: its swaps and accounts, with a memory of their own, its
 * tokens, addresses, and the balances of the `named` wallets beside those of the largest. Its node has two addresses.
 */
export function chainActivities(
  { url }: EvmWorld,
  lake: Lake,
  chain: ReadChain,
  named: readonly string[] = [],
  { size = 400, requests, refused }: More = {},
): Activities {
  const others = sources.filter(({ name }) => ['evm_tokens', 'evm_addresses', 'evm_balances'].includes(name))
  const settings = { TAPELINE_WHOLE_CHAINS: 'ethereum', TAPELINE_EVM_WALLETS: named.join() }
  const urls = [url, url.replace('127.0.0.1', 'localhost')].join()
  const memory = createRpcMemory(machineTimers)
  const config = parseConfig({ RPC_ETHEREUM: urls, TAPELINE_WORLD: 'anvil', ...settings }, [
    evmSwapsOf(memory),
    evmAccountsOf(memory, { size, most: 20_000 }),
    evmTracesOf(memory),
    ...others,
  ])
  const [source] = config.sources
  if (source === undefined) throw new Error('no source; expected evm_swaps')
  const send = refused === undefined ? {} : { fetch: refusing(refused) }
  const http = createHttp({ hosts: config.hosts, random: Math.random, ...machineTimers, ...send })
  const tools = {
    ...tinyTools(lake, source, 0),
    sources: config.sources,
    hosts: config.hosts,
    http,
    ...(requests && { requests }),
  }
  return createActivities({ ...tools, timers: machineTimers, clock: chain.now, keepRaw: false })
}

/** Requests to a node that refuses methods as one that does not have them. */
const refusing =
  (part: string): typeof fetch =>
  async (url, init) => {
    const asked: unknown = JSON.parse(z.string().parse(init?.body))
    const calls = z.array(z.object({ id: z.number(), method: z.string() })).parse([asked].flat())
    if (!calls.some(({ method }) => method.includes(part))) return fetch(url, init)
    const error = { code: -32_601, message: 'method not found' }
    const replies = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }))
    return new Response(JSON.stringify(Array.isArray(asked) ? replies : replies[0]))
  }
