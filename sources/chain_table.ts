import { datasets, type DatasetName } from '#lake/datasets/index.ts'
import type { ColumnBatch } from '#lake/units/column_batch.ts'
import type { Micros } from '#time.ts'

/** Where a log is: its chain, block, transaction and position in the block. `ts` is the time of the block. */
export type Place = { chain: string; block: number; tx_index: number; tx: string; log_index: number; ts: Micros }

/** Rows of a dataset as columns. */
export type ChainTable = {
  /** Adds a row by the names of its columns. A column without a value is null. */
  push: (place: Place, row: Readonly<Record<string, unknown>>) => void
  /** Adds a row by its values, in the order of {@link valueNames}. */
  pushValues: (place: Place, values: readonly unknown[]) => void
  batch: () => ColumnBatch
}

const placeNames: ReadonlySet<string> = new Set(['chain', 'block', 'tx_index', 'tx', 'log_index', 'ts'])

/** The columns of a dataset whose values are neither the place of a row nor its source. */
export const valueNames = (dataset: DatasetName): string[] =>
  Object.keys(datasets[dataset].columns).filter((name) => name !== 'source' && !placeNames.has(name))

/**
 * Collects rows as columns: hundreds of thousands of swaps cost half of what they cost as objects. The columns of the
 * place are written out, because reading them by their names costs more than decoding a log.
 */
export function openTable(dataset: DatasetName): ChainTable {
  const names = valueNames(dataset)
  const values = names.map((): unknown[] => [])
  const [chain, block, tx_index]: [string[], number[], number[]] = [[], [], []]
  const [tx, log_index, ts]: [string[], number[], Micros[]] = [[], [], []]
  const pushValues: ChainTable['pushValues'] = (place, row) => {
    chain.push(place.chain)
    block.push(place.block)
    tx_index.push(place.tx_index)
    tx.push(place.tx)
    log_index.push(place.log_index)
    ts.push(place.ts)
    for (let n = 0; n < values.length; n++) values[n]?.push(row[n])
  }
  return {
    pushValues,
    push: (place, row) =>
      pushValues(
        place,
        names.map((name) => row[name] ?? null),
      ),
    batch: () => {
      const byName: Record<string, unknown[]> = { chain, block, tx_index, tx, log_index, ts }
      for (const [n, name] of names.entries()) byName[name] = values[n] ?? []
      const columns = Object.keys(datasets[dataset].columns).filter((name) => name !== 'source')
      return { n_rows: chain.length, columns: Object.fromEntries(columns.map((name) => [name, byName[name] ?? []])) }
    },
  }
}
