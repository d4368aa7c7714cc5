import { z } from 'zod'

/** A log in lower-case hexadecimal, with its place. */
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
 * The shape of a log. It is written by hand, since a range has hundreds of thousands of logs: an object of zod takes four
 * times the CPU.
 */
export const logShape: z.ZodType<Log> = z.unknown().transform((body, context) => {
  const problem = 'expected a log with an address, topics, data and its place in hexadecimal'
  const log = readLog(body)
  if (log !== undefined) return log
  context.addIssue({ code: 'custom', message: problem })
  return z.NEVER
})

function readLog(body: unknown): Log | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const log = body as Record<string, unknown>
  const { topics, removed } = log
  const address = bytesOf(log['address'], 20)
  const data = bytesOf(log['data'])
  const [block_hash, tx] = [bytesOf(log['blockHash'], 32), bytesOf(log['transactionHash'], 32)]
  const block = numberOf(log['blockNumber'])
  const [tx_index, log_index] = [numberOf(log['transactionIndex']), numberOf(log['logIndex'])]
  if (address === undefined || data === undefined || block_hash === undefined || tx === undefined) return undefined
  if (block === undefined || tx_index === undefined || log_index === undefined) return undefined
  if (!Array.isArray(topics) || topics.length > 4) return undefined
  const hashes: string[] = []
  for (const topic of topics) {
    const hash = bytesOf(topic, 32)
    if (hash === undefined) return undefined
    hashes.push(hash)
  }
  return { address, topics: hashes, data, block, block_hash, tx, tx_index, log_index, is_removed: removed === true }
}

const hexText = /^0x[0-9a-f]*$/i

/** Bytes in lower case; undefined for other text, or for another number of bytes. */
function bytesOf(text: unknown, n_bytes?: number): string | undefined {
  if (typeof text !== 'string' || text.length % 2 !== 0 || !hexText.test(text)) return undefined
  return n_bytes === undefined || text.length === 2 + 2 * n_bytes ? text.toLowerCase() : undefined
}

function numberOf(text: unknown): number | undefined {
  if (typeof text !== 'string' || text.length < 3 || !hexText.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}
