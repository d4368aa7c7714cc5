import { z } from 'zod'

import { reject } from '#ingest/parse/rows.ts'
import type { RejectedRow } from '#ingest/source.ts'
import type { KeptBody } from '#lake/units/spilled_bodies.ts'
import type { NewActivity, NewFill } from '#sources/markets/fills.ts'

import type { Notation } from './amount_notation.ts'
import { parseHistoryRow, type ParsedRow } from './history_rows.ts'

/** Rows of an account for the lake. */
export type History = { fills: NewFill[]; activity: NewActivity[] }

type Reading = { account: string; notation: Notation; path: string }

/**
 * Parses the rows of an account, which come by their ids, and gives them to `keep` some thousands at a time. A row with
 * the id of an earlier row is the same row on another page. Returns the rejected rows, up to `mostRejected`, in the
 * order in which they came.
 */
export async function parseHistory(
  bodies: AsyncIterable<readonly KeptBody[]>,
  { account, notation, path }: Reading,
  keep: (rows: History) => Promise<void>,
): Promise<RejectedRow[]> {
  const rejected: { place: number; row: RejectedRow }[] = []
  let first: Exclude<ParsedRow, { reason: string }> | undefined
  for await (const some of bodies) {
    const rows: History = { fills: [], activity: [] }
    for (const { place, body } of some) {
      const { dataset, row: parsed } = parseHistoryRow(body, account, notation)
      const refuse = (reason: string): void => reject(rejected, { place, row: { dataset, path, reason, body } })
      if (parsed.reason !== undefined) refuse(parsed.reason)
      else if (parsed.id !== first?.id) {
        first = parsed
        if (parsed.fill !== undefined) rows.fills.push(parsed.fill)
        if (parsed.move !== undefined) rows.activity.push(parsed.move)
      } else if (textOf(parsed) !== textOf(first))
        refuse(`tradeEventId: another row has ${parsed.id}; expected its own`)
    }
    await keep(rows)
  }
  return rejected.toSorted((a, b) => a.place - b.place).map(({ row }) => row)
}

const textOf = (row: ParsedRow): string =>
  JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))

const withId = z.object({ tradeEventId: z.union([z.string(), z.number()]) })

/** The id of a row as text; empty for a row without one, which does not parse. */
export const idOfRow = (body: unknown): string => String(withId.safeParse(body).data?.tradeEventId ?? '')
