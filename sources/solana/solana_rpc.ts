import { z } from 'zod'

import type { Get } from '#ingest/http/request.ts'
import { ShapeError } from '#ingest/http/response.ts'
import type { Part } from '#ingest/source.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import type { RpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { createRpc, type Rpc } from '#sources/evm/rpc/rpc.ts'

import { parseAnswer } from './blocks/parse_answer.ts'

/** The reader of Solana, with failover between its endpoints. Integers of 64 bits arrive exactly. */
export const solanaRpcOf = ({ name, upstreams }: Part, get: Get, memory: RpcMemory): Rpc =>
  createRpc(findChain(name), upstreams, exactGet(get), memory)

/** A `Get` that parses answers by `parseAnswer`. Text that is no JSON is a {@link ShapeError}, as it is otherwise. */
export const exactGet =
  (get: Get): Get =>
  async (request, shape) => {
    const text = await get({ ...request, as: 'text' }, z.string())
    const parsed = z
      .string()
      .transform((body, context) => {
        try {
          return parseAnswer(body)
        } catch {
          context.addIssue({
            code: 'custom',
            message: `${body.slice(0, 100)}: no JSON; expected an answer of JSON-RPC`,
          })
          return z.NEVER
        }
      })
      .pipe(shape)
      .safeParse(text)
    if (parsed.success) return parsed.data
    throw new ShapeError(request.host ?? '', request.path, parsed.error)
  }
