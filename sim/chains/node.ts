import { z } from 'zod'

import { holdingOf, nonceOf } from './holdings.ts'
import type { SimulatedChain } from './simulated_chain.ts'
import { codeOf, viewOf } from './views.ts'
import { hex, wireBlock, wireLogs, wireReceipts, wireTransactions } from './wire.ts'

/** The result of a call, or its error. */
type Outcome = { result: unknown } | { error: { code: number; message: string } }

/** The limits of a keyless node. */
const most = { range: 1_000, batch: 50 }
const finality = 20

const callShape = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()).default([]) })
const filterShape = z.object({
  fromBlock: z.string().optional(),
  toBlock: z.string().optional(),
  blockHash: z.string().optional(),
  address: z.union([z.string(), z.array(z.string())]).optional(),
  topics: z.array(z.union([z.string(), z.array(z.string()), z.null()])).default([]),
})
const requestShape = z.union([callShape, z.array(callShape)])
const failure = (code: number, message: string): Outcome => ({ error: { code, message } })

/** Answers the body of a JSON-RPC request as a node of a chain does when its time is `now_s`. */
export function answerRpc(chain: SimulatedChain, body: unknown, now_s: number): unknown {
  const asked = requestShape.safeParse(body)
  if (!asked.success) return { jsonrpc: '2.0', id: null, ...failure(-32_600, 'invalid request') }
  const head = Math.max(0, Math.floor((now_s - chain.start_s) / chain.block_s))
  const reply = ({ id, method, params }: z.infer<typeof callShape>) => ({
    jsonrpc: '2.0',
    id,
    ...checked(() => outcomeOf(chain, head, method, params)),
  })
  if (!Array.isArray(asked.data)) return reply(asked.data)
  if (asked.data.length > most.batch)
    return { jsonrpc: '2.0', id: null, ...failure(-32_600, `maximum ${most.batch} calls in 1 batch`) }
  return asked.data.map(reply)
}

/** Parameters of another shape are an error of the caller. */
function checked(outcome: () => Outcome): Outcome {
  try {
    return outcome()
  } catch (error) {
    if (error instanceof z.ZodError) return failure(-32_602, 'invalid params')
    throw error
  }
}

function outcomeOf(chain: SimulatedChain, head: number, method: string, params: readonly unknown[]): Outcome {
  const [first] = params
  switch (method) {
    case 'eth_chainId':
      return { result: hex(chain.id) }
    case 'eth_blockNumber':
      return { result: hex(head) }
    case 'eth_getBlockByNumber': {
      const block = blockOf(first, head)
      return { result: block > head ? null : wireBlock(chain, block, params[1] === true) }
    }
    case 'eth_getBlockReceipts': {
      const block = blockOf(first, head)
      return { result: block > head ? null : wireReceipts(chain, block) }
    }
    case 'eth_getTransactionByHash':
      return { result: wireTransactions(chain, placeOf(first)).find(({ hash }) => hash === first) ?? null }
    case 'eth_getTransactionReceipt': {
      const receipts = wireReceipts(chain, placeOf(first))
      return { result: receipts.find(({ transactionHash }) => transactionHash === first) ?? null }
    }
    case 'eth_getLogs':
      return logsOf(chain, head, filterShape.parse(first))
    case 'eth_getBalance':
      return ofState(chain, head, params[1], (block) => {
        return { result: hex(holdingOf(chain, head, { wallet: z.string().parse(first), token: 'native', block })) }
      })
    case 'eth_getTransactionCount':
      return ofState(chain, head, params[1], (block) => {
        return { result: hex(nonceOf(chain, head, z.string().parse(first), block)) }
      })
    case 'eth_getCode':
      return { result: codeOf(chain, z.string().parse(first)) }
    case 'eth_call': {
      const { to, data } = z.object({ to: z.string(), data: z.string() }).parse(first)
      return ofState(chain, head, params[1], (block) => {
        const result = viewOf(chain, { head, block }, to, data)
        return result === undefined ? failure(3, 'execution reverted') : { result }
      })
    }
    default:
      return failure(-32_601, `the method ${method} does not exist/is not available`)
  }
}

/** An answer from the state after a block. A node that pruned the state answers with the error of geth. */
function ofState(chain: SimulatedChain, head: number, tag: unknown, answer: (block: number) => Outcome): Outcome {
  const block = blockOf(tag, head)
  if (block > head) return failure(-32_000, 'header not found')
  if (head - block > (chain.n_states ?? Infinity))
    return failure(-32_000, `missing trie node ${'5f'.repeat(32)} (path )`)
  return answer(block)
}

/** The block of a number or a tag. */
function blockOf(text: unknown, head: number): number {
  if (text === 'latest' || text === 'pending') return head
  if (text === 'finalized' || text === 'safe') return Math.max(0, head - finality)
  return text === 'earliest' ? 0 : Number(text)
}

/** The block of a hash: the number with which the hash begins. */
const placeOf = (hash: unknown): number => Number.parseInt(String(hash).slice(2, 14), 16)

function logsOf(chain: SimulatedChain, head: number, filter: z.infer<typeof filterShape>): Outcome {
  const { blockHash, fromBlock = 'latest', toBlock = 'latest' } = filter
  const [from, to] =
    blockHash === undefined
      ? [blockOf(fromBlock, head), blockOf(toBlock, head)]
      : [placeOf(blockHash), placeOf(blockHash)]
  if (to - from >= most.range) return failure(-32_600, `exceed maximum block range: ${most.range}`)
  const addresses = filter.address === undefined ? undefined : new Set([filter.address].flat())
  const isWanted = ({ address, topics }: ReturnType<typeof wireLogs>[number]): boolean =>
    (addresses?.has(address) ?? true) &&
    filter.topics.every((topic, n) => topic === null || [topic].flat().includes(topics[n] ?? ''))
  const blocks = Array.from({ length: Math.max(0, Math.min(to, head) - from + 1) }, (_, n) => from + n)
  return { result: blocks.flatMap((block) => wireLogs(chain, block)).filter(isWanted) }
}
