import { z } from 'zod'

/** A log in lower-case hexadecimal, with its place. Its data is empty where only the place is wanted. */
export type Log = {
  address: string
  topics: readonly string[]
  data: string
  block: number
  block_hash: string
  tx: string
  tx_index: number
  log_index: number
  is_removed: boolean
}

/**
 * The shape of a list of logs. It is written by hand, since a range has hundreds of thousands of logs: zod's objects
 * and lists take four times the CPU. Neighbours share their block, transaction, contract and event, so equal texts are
 * checked once and held once. The data of logs with a first topic of `places` is neither checked nor held.
 */
export const logsShapeOf = (places: ReadonlySet<string>): z.ZodType<Log[]> =>
  z.unknown().transform((body, context) => {
    const logs: Log[] = []
    const problem = 'expected logs with an address, topics, data and their place in hexadecimal'
    for (const one of Array.isArray(body) ? (body as unknown[]) : [undefined]) {
      const log = readLog(one, places, logs.at(-1))
      if (log === undefined) {
        context.addIssue({ code: 'custom', message: problem })
        return z.NEVER
      }
      logs.push(log)
    }
    return logs
  })

export const logsShape = logsShapeOf(new Set())

function readLog(body: unknown, places: ReadonlySet<string>, last: Log | undefined): Log | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const log = body as Record<string, unknown>
  const { topics, removed } = log
  const address = bytesOf(log['address'], 20, last?.address)
  const block_hash = bytesOf(log['blockHash'], 32, last?.block_hash)
  const tx = bytesOf(log['transactionHash'], 32, last?.tx)
  const block = numberOf(log['blockNumber'])
  const [tx_index, log_index] = [numberOf(log['transactionIndex']), numberOf(log['logIndex'])]
  if (address === undefined || block_hash === undefined || tx === undefined) return undefined
  if (block === undefined || tx_index === undefined || log_index === undefined) return undefined
  if (!Array.isArray(topics) || topics.length > 4) return undefined
  const hashes: string[] = []
  for (let n = 0; n < topics.length; n++) {
    const hash = bytesOf(topics[n], 32, last?.topics[n])
    if (hash === undefined) return undefined
    hashes.push(hash)
  }
  const data = places.has(hashes[0] ?? '') ? '0x' : bytesOf(log['data'])
  if (data === undefined) return undefined
  return { address, topics: hashes, data, block, block_hash, tx, tx_index, log_index, is_removed: removed === true }
}

const hexText = /^0x[0-9a-f]*$/i
const lowerHexText = /^0x[0-9a-f]*$/

/**
 * Bytes in lower case; undefined for other text, or for another number of bytes. `known` are bytes that were checked.
 */
function bytesOf(text: unknown, n_bytes?: number, known?: string): string | undefined {
  if (text === known) return known
  if (typeof text !== 'string' || text.length % 2 !== 0) return undefined
  if (n_bytes !== undefined && text.length !== 2 + 2 * n_bytes) return undefined
  if (lowerHexText.test(text)) return text
  return hexText.test(text) ? text.toLowerCase() : undefined
}

function numberOf(text: unknown): number | undefined {
  if (typeof text !== 'string' || text.length < 3 || !hexText.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}
