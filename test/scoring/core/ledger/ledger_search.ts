import { isDeepStrictEqual } from 'node:util'

import type { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'

import { histories } from '#test/oracle/ledger/arbitrary.ts'
import type { Position, Realization } from '#test/oracle/ledger/event.ts'
import type { History } from '#test/oracle/ledger/history.ts'
import { oracleLedger } from '#test/oracle/ledger/ledger.ts'

import type { Results } from './ledger_tables.ts'
import { runLedgers, type LedgerModels } from './ledgers.ts'

/** Random histories, the same for the same seed. A market has one resolution an instant, as the lake keeps them. */
export const sampleHistories = ({ n, seed }: { n: number; seed: number }): History[] =>
  fc.sample(histories(), { numRuns: n, seed }).map(({ context, events }) => {
    const known = new Set<string>()
    const isNew = (key: string): boolean => !known.has(key) && known.add(key).size > 0
    return {
      context,
      events: events.filter(({ kind, market_id, ts }) => kind !== 'resolution' || isNew(`${market_id} ${ts}`)),
    }
  })

/** A history of which two ledgers make different rows. */
export type Difference = { history: History; expected: Row[]; found: Row[] }
type Row = Realization | Position

/** The shortest history for which the ledger and the independent one differ, if any. */
export const differing = async (
  instance: DuckDBInstance,
  models: LedgerModels,
  sample: readonly History[],
): Promise<Difference[]> => shortest(sample, await runLedgers(instance, models, sample))

/** The shortest history of which a ledger made other rows than the independent one, or nothing. */
export function shortest(sample: readonly History[], results: readonly Results[]): Difference[] {
  const differences = sample.flatMap((history, index) => {
    const expected = expectedOf(history)
    const found = rowsOf(results[index] ?? { realizations: [], positions: [] })
    if (isDeepStrictEqual(expected, found)) return []
    const without = (rows: Row[], others: Row[]): Row[] =>
      rows.filter((row) => !others.some((other) => isDeepStrictEqual(row, other)))
    return [{ history, expected: without(expected, found), found: without(found, expected) }]
  })
  return differences.sort((a, b) => a.history.events.length - b.history.events.length).slice(0, 1)
}

/** The rows of the independent ledger, made once for each history. */
function expectedOf(history: History): Row[] {
  const made = expectations.get(history) ?? rowsOf(oracleLedger(history.events, history.context))
  expectations.set(history, made)
  return made
}

const expectations = new WeakMap<History, Row[]>()

/**
 * The rows of a ledger in the order of their keys. Realizations that are alike but for their `seq` come in the ledger's
 * order, and are counted anew.
 */
function rowsOf({ realizations, positions }: Results): Row[] {
  const next = new Map<string, number>()
  const counted = realizations
    .sort((a, b) => compare(keyOf(a), keyOf(b)))
    .map((row) => {
      const seq = next.get(keyOf(row)) ?? 0
      next.set(keyOf(row), seq + 1)
      return { ...row, seq }
    })
  return [...counted, ...positions.sort((a, b) => compare(keyOf(a), keyOf(b)))]
}

const keyOf = (row: Row): string =>
  JSON.stringify([row.trader, row.market_id, row.outcome, ...('kind' in row ? [row.ts, row.kind, row.tx] : [])])

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Histories of the same markets one after the other, as one long history. */
export function join(parts: readonly History[]): History {
  let start = 0
  const events = parts
    .filter((part) => part.events.length > 0)
    .flatMap((part) => {
      const first = Math.min(...part.events.map(({ ts }) => ts))
      const moved = part.events.map((event) => ({ ...event, ts: event.ts - first + start }))
      start = Math.max(...moved.map(({ ts }) => ts)) + 1
      return moved
    })
  return { context: parts[0]?.context ?? { markets: [] }, events }
}

/** The same histories, those of the same markets joined. */
export function joinAlike(sample: readonly History[]): History[] {
  const alike = new Map<string, History[]>()
  for (const history of sample) {
    const markets = JSON.stringify(history.context)
    alike.set(markets, [...(alike.get(markets) ?? []), history])
  }
  return [...alike.values()].map(join)
}
