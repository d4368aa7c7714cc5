import type { Get } from '#ingest/http/request.ts'
import type { Part } from '#ingest/source.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { chains } from '#registry/chains/registry.ts'

import type { RpcMemory } from './endpoint_state.ts'
import { chainPart } from './endpoints.ts'
import { createRpc, type Rpc } from './rpc.ts'

/**
 * The parts of a source that reads EVM chains: each chain of the registry. The environment chooses those that are read.
 */
export const evmParts = chains.filter(({ kind }) => kind === 'evm').map(chainPart) as unknown as readonly [
  Part,
  ...Part[],
]

/** The reader of the chain of a part. `memory` has the limits and circuit breakers of the endpoints. */
export const rpcOf = ({ name, chain = name, upstreams }: Part, get: Get, memory: RpcMemory): Rpc =>
  createRpc(findChain(chain), upstreams, get, memory)
