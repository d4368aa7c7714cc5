import { z } from 'zod'

import { lookEvery } from '#bin/report/look_every.ts'
import { count, type Output } from '#bin/report/progress.ts'
import type { Marts, Snapshot } from '#snapshots/marts.ts'

const rowShape = z.object({ id: z.string(), question: z.string(), yes_price: z.number(), volume_24h: z.number() })
type Row = z.infer<typeof rowShape>

const sql = 'select id, question, yes_price, volume_24h from marts.pm_markets where is_open'
/** Characters of a question that fit on a line. */
const maxQuestionLength = 56
const every_ms = 1_000

/**
 * Reports, at each new pulse, the odds that moved most since the previous pulse. Returns the function that ends the
 * reports.
 */
export function reportMoves(marts: Pick<Marts, 'current'>, { write }: Pick<Output, 'write'>): () => Promise<void> {
  let last: { id: string; rows: Map<string, Row> } | undefined
  const look = async (): Promise<void> => {
    const pulse = marts.current('pulse')
    if (pulse === null || pulse.id === last?.id) return
    const rows = await read(pulse)
    if (last !== undefined) write(`${describeMoves(pulse, last.rows, rows)}\n`)
    last = { id: pulse.id, rows }
  }
  // A pulse may be removed before it is read. The next pulse follows, so the error is dropped.
  return lookEvery(every_ms, look, () => undefined).end
}

const read = async ({ query }: Snapshot): Promise<Map<string, Row>> =>
  new Map(
    z
      .array(rowShape)
      .parse(await query(sql))
      .map((row) => [row.id, row]),
  )

function describeMoves({ asOf }: Snapshot, before: ReadonlyMap<string, Row>, now: ReadonlyMap<string, Row>): string {
  const moves = [...now.values()]
    .map((row) => ({ row, by: row.yes_price - (before.get(row.id)?.yes_price ?? row.yes_price) }))
    .filter(({ by }) => by !== 0)
    .toSorted((a, b) => Math.abs(b.by) - Math.abs(a.by))
  const stamp = new Date(asOf / 1000).toISOString().slice(0, 16).replace('T', ' ')
  const [most] = moves
  const largest = most === undefined ? '' : `; ${most.row.question.slice(0, maxQuestionLength)} ${arrow(most)}`
  return `${stamp}  ${count(now.size)} markets open, ${count(moves.length)} moved${largest}`
}

const arrow = ({ row, by }: { row: Row; by: number }): string =>
  `${(row.yes_price - by).toFixed(3)} -> ${row.yes_price.toFixed(3)}`
