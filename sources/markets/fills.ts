import type { NewRow } from '#ingest/source.ts'

export type NewFill = NewRow<'fills'>
export type NewActivity = NewRow<'activity'>

/** Numbers the fills of a venue without ids of fills: those with equal columns, from 0. */
export const numberedFills = (fills: readonly NewFill[]): NewFill[] =>
  numbered(
    fills,
    (fill) => [fill.token_id, fill.ts, fill.tx, fill.trader, fill.side, fill.price, fill.size].join(),
    (fill) => [fill.role, fill.cash_usd, fill.fee_usd].join(),
  )

/** Interns repeated texts (traders, tokens, markets), which are most of the bytes of millions of rows. */
export function sharedTexts(): (fill: NewFill) => NewFill {
  const held = new Map<string, string>()
  const share = (text: string): string => {
    const interned = held.get(text)
    if (interned === undefined) held.set(text, text)
    return interned ?? text
  }
  return (fill) => ({
    ...fill,
    token_id: share(fill.token_id),
    trader: share(fill.trader),
    market_id: fill.market_id === null ? null : share(fill.market_id),
  })
}

/**
 * Numbers the rows with an equal `key`, from 0: the venue has no id, and equal rows are real. Among them `rest` gives
 * the order, so that it does not depend on the input. Keys are built for one transaction at a time, since all keys
 * would be larger than the rows.
 */
export function numbered<R extends { seq: number; tx: string }>(
  rows: readonly R[],
  key: (row: R) => string,
  rest: (row: R) => string,
): R[] {
  const done: R[] = []
  for (const together of grouped(rows, ({ tx }) => tx).values()) {
    const [only] = together
    if (together.length === 1 && only !== undefined) done.push(only)
    else for (const alike of grouped(together, key).values()) for (const row of inOrder(alike, rest)) done.push(row)
  }
  return done
}

const inOrder = <R extends { seq: number }>(alike: readonly R[], rest: (row: R) => string): readonly R[] =>
  alike.length === 1
    ? alike
    : alike
        .map((row) => ({ row, rest: rest(row) }))
        .toSorted((a, b) => (a.rest < b.rest ? -1 : a.rest > b.rest ? 1 : 0))
        .map(({ row }, seq) => ({ ...row, seq }))

function grouped<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group) group.push(item)
    else groups.set(key(item), [item])
  }
  return groups
}
