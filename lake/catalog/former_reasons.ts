import type { Transaction } from 'kysely'

import { graver, type Gap, type ReasonCode } from '#lake/reasons.ts'

import type { CatalogTables } from './tables.ts'

/**
 * What the sentence of a coverage entry without a code says. `n_rejected` is one number for all datasets of a unit; null
 * if it names none.
 */
export type FormerReason = { reason_code: ReasonCode | null; gaps: string | null; n_rejected: number | null }

const ofState: Readonly<Record<string, ReasonCode>> = {
  missing: 'failed',
  unavailable: 'unavailable',
  expired: 'expired',
  head: 'growing',
}
const starts = [
  ['contradicted: ', 'contradicted'],
  ['provisional until', 'provisional'],
  ['silent:', 'silent'],
  ['clocks of this machine and of the upstream', 'clock'],
  ['a data file of the unit was lost', 'lost'],
] as const
const unparsed = /^(?:at least \d+|(\d+)) rows? did not parse$/
/** A gap of a stream, such as `...: nothing came from 2026-11-20 13:00:00 to 2026-11-20 13:05:00`. */
const gap = /: nothing came from \S+ \S+ to (\S+ \S+)$|^the stream began later$/
const withoutPage = /([^\s,;:]+): no page with messages/g

/**
 * The code and the gaps of a sentence. Catalogs of former versions have the sentence without a code, and so have the data
 * files, which a repair reads. No other code may test a sentence.
 */
export function formerReason({ state, reason }: { state: string; reason: string | null }): FormerReason {
  if (reason === null) return { reason_code: null, gaps: null, n_rejected: null }
  const parts = reason.split('; ')
  const codes = parts.map((part): ReasonCode => {
    if (unparsed.test(part)) return 'unparsed'
    const start = starts.find(([text]) => part.startsWith(text))
    return start?.[1] ?? (gap.test(part) ? 'gap' : (ofState[state] ?? 'incomplete'))
  })
  const gaps: Gap[] = parts.filter((_, n) => codes[n] === 'gap').map(gapOf)
  for (const [text, subject] of reason.matchAll(withoutPage)) gaps.push({ text, ...(subject && { subject }) })
  const n_rejected = unparsed.exec(parts[0] ?? '')?.[1]
  return {
    reason_code: codes.reduce((a, b) => graver(a, b), ofState[state] ?? 'unparsed'),
    n_rejected: n_rejected === undefined ? null : Number(n_rejected),
    gaps: gaps.length === 0 ? null : JSON.stringify(gaps),
  }
}

function gapOf(text: string): Gap {
  const at_ms = Date.parse(`${gap.exec(text)?.[1]?.replace(' ', 'T')}Z`)
  return Number.isNaN(at_ms) ? { text } : { text, to: at_ms * 1000 }
}

/** Gives all entries of a former version their codes, in the transaction that adds the columns. */
export async function addCodes(tx: Transaction<CatalogTables>): Promise<void> {
  const rows = await tx
    .selectFrom('tapeline_coverage')
    .select(['unit', 'dataset', 'begin_snapshot', 'state', 'reason', 'n_rejected'])
    .where('reason', 'is not', null)
    .execute()
  for (const { unit, dataset, begin_snapshot, state, reason, n_rejected } of rows) {
    const former = formerReason({ state, reason })
    await tx
      .updateTable('tapeline_coverage')
      .set({ ...former, n_rejected: n_rejected ?? former.n_rejected })
      .where('unit', '=', unit)
      .where('dataset', '=', dataset)
      .where('begin_snapshot', '=', begin_snapshot)
      .execute()
  }
}
