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
    const logs = readLogs(body, places)
    if (logs !== undefined) return logs
    context.addIssue({ code: 'custom', message: expectedLogs })
    return z.NEVER
  })

export const expectedLogs = 'expected logs with an address, topics, data and their place in hexadecimal'

const noPlaces: ReadonlySet<string> = new Set()
export const logsShape = logsShapeOf(noPlaces)

/** Reads a list of logs; undefined if it is none. */
export function readLogs(body: unknown, places = noPlaces): Log[] | undefined {
  if (!Array.isArray(body)) return undefined
  const logs: Log[] = []
  let last: Neighbour | undefined
  for (const entry of body as unknown[]) {
    const log = readLog(entry, places, last)
    if (log === undefined) return undefined
    logs.push(log)
    last = { body: entry as Record<string, unknown>, log }
  }
  return logs
}

/** The log before, as it came and as it was read. */
type Neighbour = { body: Record<string, unknown>; log: Log }

function readLog(body: unknown, places: ReadonlySet<string>, neighbour: Neighbour | undefined): Log | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const log = body as Record<string, unknown>
  const last = neighbour?.log
  const address = bytesOf(log['address'], 20, last?.address)
  const block_hash = bytesOf(log['blockHash'], 32, last?.block_hash)
  const tx = bytesOf(log['transactionHash'], 32, last?.tx)
  const block = numberOf(log['blockNumber'], neighbour?.body['blockNumber'], last?.block)
  const tx_index = numberOf(log['transactionIndex'], neighbour?.body['transactionIndex'], last?.tx_index)
  const log_index = numberOf(log['logIndex'])
  if (address === undefined || block_hash === undefined || tx === undefined) return undefined
  if (block === undefined || tx_index === undefined || log_index === undefined) return undefined
  const topics = topicsOf(log['topics'], last?.topics)
  if (topics === undefined) return undefined
  const data = places.has(topics[0] ?? '') ? '0x' : bytesOf(log['data'])
  if (data === undefined) return undefined
  return { address, topics, data, block, block_hash, tx, tx_index, log_index, is_removed: log['removed'] === true }
}

/** Topics, of which equal lists are held once. */
function topicsOf(topics: unknown, checked: readonly string[] | undefined): readonly string[] | undefined {
  if (!Array.isArray(topics) || topics.length > 4) return undefined
  if (topics.length === checked?.length && checked.every((topic, n) => topic === topics[n])) return checked
  const hashes: string[] = []
  for (let n = 0; n < topics.length; n++) {
    const hash = bytesOf(topics[n], 32, checked?.[n])
    if (hash === undefined) return undefined
    hashes.push(hash)
  }
  return hashes
}

const hexText = /^0x[0-9a-f]*$/i
const lowerHexText = /^0x[0-9a-f]*$/

/**
 * Bytes in lower case; undefined for other text, or for another number of bytes. `checked` are bytes that were checked before.
 */
export function bytesOf(text: unknown, n_bytes?: number, checked?: string): string | undefined {
  if (text === checked) return checked
  if (typeof text !== 'string' || text.length % 2 !== 0) return undefined
  if (n_bytes !== undefined && text.length !== 2 + 2 * n_bytes) return undefined
  if (lowerHexText.test(text)) return text
  return hexText.test(text) ? text.toLowerCase() : undefined
}

/** A number; undefined for other text. `numberBefore` is the number of the text `before`. */
export function numberOf(text: unknown, before?: unknown, numberBefore?: number): number | undefined {
  if (numberBefore !== undefined && text === before) return numberBefore
  if (typeof text !== 'string' || text.length < 3 || !hexText.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}
