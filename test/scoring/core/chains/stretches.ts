import type { Rows } from '#test/scoring/core/wallets/tables.ts'

type Row = Rows[string][number]

export const source = 'evm_accounts'

/** A stretch of an account, by its transactions. */
export const stretch = (key: string, from_block: number, to_block: number, more: Row = {}): Row => ({
  dataset: 'transactions',
  unit: `${source}/base/${key}/${from_block}`,
  part: 'base',
  key,
  precedence: 0,
  state: 'done',
  from_block,
  to_block,
  checked_at: '2026-03-01',
  resume: JSON.stringify({ from_s: 1_000 + from_block }),
  source,
  ...more,
})

/** Columns of rows as sorted text. */
export const shownOf = (rows: readonly Record<string, unknown>[], ...names: string[]): string[] =>
  rows.map((row) => names.map((name) => String(row[name])).join(' ')).toSorted()
