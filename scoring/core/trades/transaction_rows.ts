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
  /**
   * The value of a raw unit of the token, or of the native coin of a transaction, in US dollars. Null without a price.
   */
  usd_per_unit: number | null
  /** Of a transaction: whether the called contract keeps none of the native coin that it is sent. */
  is_plain: boolean | null
  /** The accounts for which a transaction counts that was read by them; null: it counts for all. */
  readers: string | null
  /** Of a transaction: whether its calls were read. */
  is_traced: boolean | null
}

/** The rows of each transaction, from chunks in the order of `flows.sql`. */
export async function* transactionsOf(chunks: AsyncIterable<DuckDBDataChunk>): AsyncGenerator<InputRow[]> {
  let rows: InputRow[] = []
  for await (const chunk of chunks) {
    for (const next of rowsOf(chunk)) {
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

/** The rows of a chunk. Objects of one shape, written out, take a third of the time of entries. */
function rowsOf(chunk: DuckDBDataChunk): InputRow[] {
  const columns = Array.from({ length: chunk.columnCount }, (_, n) => chunk.getColumnValues(n))
  return Array.from({ length: chunk.rowCount }, (_, n) => {
    const value = (column: number): unknown => columns[column]?.[n]
    return {
      chain: value(0),
      block: value(1),
      tx_index: value(2),
      tx: value(3),
      kind: value(4),
      log_index: value(5),
      ts_us: value(6),
      is_ok: value(7),
      family: value(8),
      pool: value(9),
      coin0_index: value(10),
      coin1_index: value(11),
      token0: value(12),
      token1: value(13),
      amount0: value(14),
      amount1: value(15),
      sender: value(16),
      recipient: value(17),
      trader: value(18),
      tokens: value(19),
      wrapped: value(20),
      is_contract: value(21),
      usd_per_unit: value(22),
      is_plain: value(23),
      readers: value(24),
      is_traced: value(25),
    } as InputRow
  })
}
