import {
  DuckDBBooleanVector,
  DuckDBDoubleVector,
  DuckDBIntegerVector,
  DuckDBVarCharVector,
  type DuckDBDataChunk,
  type DuckDBVector,
} from '@duckdb/node-api'

import { roles, type Role } from './prior.ts'
import type { Style } from './shrinkage.ts'
import type { ClusterEdge } from './summarize.ts'

/** A cluster of a trader, with the indexes of its kind and range. */
export type InputRow = {
  kind: number
  range: number
  trader: number
  style: Style
  cluster: ClusterEdge
  isTrusted: boolean
}

/** Reads the rows of a chunk by index: the columns of `clv_shrinkage.sql`, in order. */
export function rowsOf(chunk: DuckDBDataChunk): (index: number) => InputRow {
  const column = <V extends DuckDBVector>(index: number, type: new (...args: never[]) => V): V => {
    const vector = chunk.getColumnVector(index)
    if (vector instanceof type) return vector
    throw new TypeError(
      `clv_shrinkage.sql, column ${index}: type ${vector.type.toString()}; expected the type of its header`,
    )
  }
  const ranges = column(0, DuckDBIntegerVector)
  const markouts = column(1, DuckDBBooleanVector)
  const traders = column(2, DuckDBIntegerVector)
  const edges = column(3, DuckDBDoubleVector)
  const risks = column(4, DuckDBDoubleVector)
  const makers = column(5, DuckDBDoubleVector)
  const variances = column(6, DuckDBDoubleVector)
  const names = column(7, DuckDBVarCharVector)
  const sides = column(8, DuckDBDoubleVector)
  const nets = column(9, DuckDBDoubleVector)
  const trusts = column(10, DuckDBBooleanVector)
  return (index) => ({
    kind: requireValue(markouts.getItem(index)) ? 1 : 0,
    range: requireValue(ranges.getItem(index)),
    trader: requireValue(traders.getItem(index)),
    isTrusted: requireValue(trusts.getItem(index)),
    style: {
      role: roleOf(requireValue(names.getItem(index))),
      both_sides_share: requireValue(sides.getItem(index)),
      net_share: requireValue(nets.getItem(index)),
    },
    cluster: {
      edge_points: requireValue(edges.getItem(index)),
      risk_usd: requireValue(risks.getItem(index)),
      maker_usd: requireValue(makers.getItem(index)),
      price_variance: requireValue(variances.getItem(index)),
    },
  })
}

function roleOf(name: string): Role {
  const role = roles.find((each) => each === name)
  if (role === undefined) throw new Error(`clv_shrinkage.sql: role "${name}"; expected ${roles.join(', ')}`)
  return role
}

function requireValue<T>(value: T | null): T {
  if (value === null) throw new Error('clv_shrinkage.sql: a column is null; expected a value')
  return value
}
