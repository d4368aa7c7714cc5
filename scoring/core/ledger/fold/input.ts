import {
  DuckDBBigIntVector,
  DuckDBDecimal64Vector,
  DuckDBEnum8Vector,
  DuckDBIntegerVector,
  DuckDBVarCharVector,
  type DuckDBDataChunk,
  type DuckDBVector,
} from '@duckdb/node-api'

/**
 * An event of one trader. Amounts are millionths, `ts` microseconds; `market` is -1 for a conversion of a group, and
 * `outcome` for an event that does not name it.
 */
export type Event = {
  kind:
    | 'buy'
    | 'sell'
    | 'split'
    | 'merge'
    | 'convert'
    | 'redeem'
    | 'transfer_in'
    | 'transfer_out'
    | 'migrate_from'
    | 'migrate_to'
  ts: bigint
  seq: number
  market: number
  outcome: number
  size: bigint
  cash: bigint
  fee: bigint
  indexSet: string | null
  /** The questions that a group had when it was converted; null if unknown. */
  n_questions: number | null
}

/** The columns of `ledger.sql`, in order. */
const columns =
  'trader_index cluster_index ts_us seq kind market_index outcome size cash_usd fee_usd index_set n_questions'.split(
    ' ',
  )

/** A row of the input: an event of a trader, or with trader -1 a fact for all. */
export type InputRow = Omit<Event, 'kind'> & {
  trader: number
  cluster: number
  kind: Event['kind'] | 'question' | 'resolution'
}

/** Reads the rows of a chunk by index. */
export function rowsOf(chunk: DuckDBDataChunk): (index: number) => InputRow {
  const column = <V extends DuckDBVector>(name: string, type: new (...args: never[]) => V): V => {
    const vector = chunk.getColumnVector(columns.indexOf(name))
    if (vector instanceof type) return vector
    throw new TypeError(`ledger.sql, column ${name}: type ${vector.type.toString()}; expected the type of its header`)
  }
  const traders = column('trader_index', DuckDBIntegerVector)
  const clusters = column('cluster_index', DuckDBIntegerVector)
  const instants = column('ts_us', DuckDBBigIntVector)
  const seqs = column('seq', DuckDBIntegerVector)
  const kinds = column('kind', DuckDBEnum8Vector)
  const markets = column('market_index', DuckDBIntegerVector)
  const outcomes = column('outcome', DuckDBIntegerVector)
  const sizes = column('size', DuckDBDecimal64Vector)
  const cash = column('cash_usd', DuckDBDecimal64Vector)
  const fees = column('fee_usd', DuckDBDecimal64Vector)
  const sets = column('index_set', DuckDBVarCharVector)
  const counts = column('n_questions', DuckDBIntegerVector)
  return (index) => {
    const kind = requireValue(kinds.getItem(index), 'kind') as InputRow['kind']
    return {
      kind,
      trader: requireValue(traders.getItem(index), 'trader_index'),
      cluster: requireValue(clusters.getItem(index), 'cluster_index'),
      ts: requireValue(instants.getItem(index), 'ts_us'),
      seq: requireValue(seqs.getItem(index), 'seq'),
      market: requireValue(markets.getItem(index), 'market_index'),
      outcome: requireValue(outcomes.getItem(index), 'outcome'),
      size: requireValue(sizes.getScaledValue(index), 'size'),
      cash: requireValue(cash.getScaledValue(index), 'cash_usd'),
      fee: requireValue(fees.getScaledValue(index), 'fee_usd'),
      indexSet: kind === 'convert' ? sets.getItem(index) : null,
      n_questions: kind === 'convert' ? counts.getItem(index) : null,
    }
  }
}

function requireValue<T>(value: T | null, column: string): T {
  if (value === null) throw new Error(`ledger.sql, column ${column}: null; expected a value`)
  return value
}
