import type { DuckDBDataChunk } from '@duckdb/node-api'

/** A row of `flows.sql`. */
export type InputRow = {
  chain: string
  block: bigint
  tx_index: number
  tx: string
  kind: 'transaction' | 'swap' | 'transfer' | 'operation'
  log_index: number
  ts_us: bigint
  is_ok: boolean
  family: string | null
  pool: string | null
  coin0_index: number | null
  coin1_index: number | null
  token0: string | null
  token1: string | null
  amount0: string | null
  amount1: string | null
  sender: string | null
  recipient: string | null
  trader: string | null
  tokens: string | null
  wrapped: string | null
  /** Whether the recipient is a contract that is no account. Null if its code was not read. */
  is_contract: boolean | null
  /** The value of a raw unit of the token, or of the native coin of a transaction, in US dollars. Null without a price. */
  usd_per_unit: number | null
}

/** The columns of `flows.sql`, in order. */
const columns = (
  'chain block tx_index tx kind log_index ts_us is_ok family pool coin0_index coin1_index token0 token1 amount0 amount1 ' +
  'sender recipient trader tokens wrapped is_contract usd_per_unit'
).split(' ')

/** The rows of each transaction, from chunks in the order of `flows.sql`. */
export async function* transactionsOf(chunks: AsyncIterable<DuckDBDataChunk>): AsyncGenerator<InputRow[]> {
  let rows: InputRow[] = []
  for await (const chunk of chunks) {
    const values = columns.map((_, n) => chunk.getColumnValues(n))
    for (let row = 0; row < chunk.rowCount; row++) {
      const next = Object.fromEntries(columns.map((name, n) => [name, values[n]?.[row]])) as InputRow
      const [first] = rows
      if (first !== undefined && (first.tx !== next.tx || first.block !== next.block || first.chain !== next.chain)) {
        yield rows
        rows = []
      }
      rows.push(next)
    }
  }
  if (rows.length > 0) yield rows
}
