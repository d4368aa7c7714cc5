import { LRUCache } from 'lru-cache'

import { createHttp, type HttpOptions } from '#ingest/http/http.ts'
import type { Get } from '#ingest/http/request.ts'
import type { Chain } from '#registry/chains/chain.ts'
import { chains } from '#registry/chains/registry.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { endpointsOf, type RpcSettings } from '#sources/evm/rpc/endpoints.ts'
import { createRpc } from '#sources/evm/rpc/rpc.ts'
import { readSolanaBalances } from '#sources/solana/balances/read_solana_balances.ts'
import { exactGet } from '#sources/solana/solana_rpc.ts'

import { readBalances, type TokenFacts } from './read_balances.ts'

/** A request of a live answer is repeated once at most, and its response is small. */
const limits = { attempts: 2, timeout_ms: 2_000, body_bytes: 4 * 1024 * 1024 }
/** All endpoints are tried once: a person waits, and the next answer tries them again. */
const rounds = 1
/** Tokens whose decimals are kept. */
const mostTokens = 50_000

/** Reads the balances of wallets. A read asks nothing more after `within_ms`, and rejects. */
export type BalanceReader = (request: {
  chain: Chain
  wallet: string
  tokens: readonly string[]
  within_ms: number
}) => Promise<Awaited<ReturnType<typeof readBalances>> & { problem?: string }>

/**
 * Makes the reader of balances of a process, over the endpoints of all chains. Its limits of rates are its own, since
 * a backfill would delay the answers.
 */
export function createBalanceReader(
  settings: RpcSettings,
  options: Omit<HttpOptions, 'hosts' | 'limits'>,
): BalanceReader {
  const hosts = chains.flatMap((chain) => endpointsOf(chain, settings))
  const http = createHttp({ ...options, limits, hosts: Object.fromEntries(hosts.map((host) => [host.name, host])) })
  const memory = createRpcMemory(options)
  const tokens = new LRUCache<string, TokenFacts>({ max: mostTokens })
  return async ({ chain, within_ms, ...asked }) => {
    const until_ms = options.now_ms() + within_ms
    const get: Get = async (request, shape) => {
      if (options.now_ms() >= until_ms)
        throw new Error(`balances of ${chain.slug}: no answer within ${within_ms / 1_000} s; expected one`)
      return http(request, shape)
    }
    const isSolana = chain.kind === 'solana'
    const rpc = createRpc(chain, endpointsOf(chain, settings), isSolana ? exactGet(get) : get, memory, rounds)
    if (isSolana) return readSolanaBalances(rpc, asked.wallet)
    return readBalances(rpc, asked, { get: (key) => tokens.get(key), set: (key, facts) => void tokens.set(key, facts) })
  }
}
