import { readCsv } from './files.ts'
import type { Mined } from './replay_rpc.ts'

/** The files of a recorded day of a pool. */
export const poolDay =
  'zelos-alpha__demeter-fetch/tests/samples/ethereum-0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640-2024-01-05'
const pool = '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640'

const word = (text: string): string => `0x${BigInt(text).toString(16)}`

/** The recorded day of a pool as transactions, which have the logs of that pool alone. */
export function poolDayMined(): Mined[] {
  const senders = new Map(readCsv(`${poolDay}.tx.raw.csv`).map((row) => [row['transaction_hash'], row]))
  const byTx = new Map<string, Record<string, string>[]>()
  for (const row of readCsv(`${poolDay}.raw.csv`)) {
    const tx = row['transaction_hash'] ?? ''
    byTx.set(tx, [...(byTx.get(tx) ?? []), row])
  }
  return [...byTx].map(([tx, rows]) => {
    const [row = {}] = rows
    const blockNumber = word(row['block_number'] ?? '')
    const transactionIndex = word(row['transaction_index'] ?? '')
    const blockHash = `0x${blockNumber.slice(2).padStart(64, 'a')}`
    const place = { blockNumber, blockHash, transactionIndex }
    const sent = senders.get(tx)
    const from = sent?.['from'] ?? `0x${'0'.repeat(40)}`
    return {
      transaction: { hash: tx, ...place, from, to: sent?.['to'] ?? null, value: word(sent?.['value'] ?? '0') },
      receipt: {
        transactionHash: tx,
        ...place,
        status: '0x1',
        gasUsed: '0x0',
        logs: rows.map((log) => ({
          address: pool,
          topics: JSON.parse((log['topics'] ?? '').replaceAll("'", '"')),
          data: log['data'],
          logIndex: word(log['log_index'] ?? ''),
          transactionHash: tx,
          ...place,
          removed: false,
        })),
      },
    }
  })
}
