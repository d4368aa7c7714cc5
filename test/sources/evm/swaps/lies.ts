import { createRandom, mix } from '#sim/random.ts'

/** How a node leaves out logs: in a share of its non-empty answers, always in the same ones if it `isSticky`. */
export type Lies = {
  seed: number
  share: number
  /** The whole answer, all logs of one block, or one log. Receipts lack a log that is not the last of the block. */
  of: 'answer' | 'block' | 'log' | 'receipt'
  isSticky: boolean
}

type Call = { id: number; method: string; params: unknown[] }
type Log = { blockNumber: string; logIndex: string }
type Receipt = { logs: Log[] }

/** A node that lies, made of one that does not. */
export function lying(node: (body: string) => string, lies: Lies): (body: string) => string {
  let n_answers = 0
  const thin = (call: Call, result: unknown): unknown => {
    if (!Array.isArray(result) || result.length === 0) return result
    const isOfReceipts = call.method === 'eth_getBlockReceipts'
    if (isOfReceipts !== (lies.of === 'receipt') || (!isOfReceipts && call.method !== 'eth_getLogs')) return result
    return isOfReceipts ? thinReceipts(result as Receipt[]) : thinLogs(result as Log[])
  }
  const randomOf = (log: Log) => {
    n_answers += 1
    return createRandom(lies.seed, lies.isSticky ? mix(Number(log.blockNumber), Number(log.logIndex)) : n_answers)
  }
  const thinLogs = (logs: Log[]): Log[] => {
    // A node that lacks a log lacks it in each range.
    if (lies.isSticky && lies.of === 'log') return logs.filter((log) => !randomOf(log).chance(lies.share))
    const first = logs[0] as Log
    const random = randomOf(first)
    if (!random.chance(lies.share)) return logs
    if (lies.of === 'answer') return []
    const left = random.pick(logs)
    return logs.filter((log) => (lies.of === 'block' ? log.blockNumber !== left.blockNumber : log !== left))
  }
  const thinReceipts = (receipts: Receipt[]): Receipt[] => {
    const logs = receipts.flatMap((receipt) => receipt.logs).slice(0, -1)
    const [first] = logs
    if (first === undefined) return receipts
    const random = randomOf(first)
    if (!random.chance(lies.share)) return receipts
    const left = random.pick(logs)
    return receipts.map((receipt) => ({ ...receipt, logs: receipt.logs.filter((log) => log !== left) }))
  }
  return (body) => {
    const asked = [JSON.parse(body) as Call | Call[]].flat()
    const answer = JSON.parse(node(body)) as { result?: unknown } | { result?: unknown }[]
    const replies = [answer].flat().map((reply, n) => {
      const call = asked[n]
      return call === undefined ? reply : { ...reply, result: thin(call, reply.result) }
    })
    return JSON.stringify(Array.isArray(answer) ? replies : replies[0])
  }
}
