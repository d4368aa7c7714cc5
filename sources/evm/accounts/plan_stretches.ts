import type { PlanContext } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import type { Unit } from '#lake/units/unit.ts'
import { DAY, SECOND } from '#time.ts'

import { firstOf, storedStretches, type StoredStretch } from './stored_stretches.ts'

/** The words of a unit that its range does not say. */
export const words = {
  /** The reading finds where the history of the account begins. */
  start: 'start',
  /** The transactions of the account are limited. */
  budget: 'budget',
  /** `first 123`: the unit has the blocks before the history, which begins near this block. */
  first: 'first ',
} as const

/** Where the history of an account begins: the block of its first transaction, null if unknown; or it was never used. */
export type Start = { isUsed: boolean; first: number | null }

/** The units of one round of a follow, of all accounts of a chain. */
const unitsPerRound = 20
/** The units of one account in a round, at least: later as many as it has, since each may show that it has too many. */
const leastOfAccount = 4
/** The time until a stretch is read again that failed, or about which endpoints differed. */
const again = { failed: 600 * SECOND, unproved: 7 * DAY } as const

type Tools = {
  name: string
  /** The blocks of a stretch, and the transactions of an account at most. */
  size: number
  most: number
  startOf: (account: string) => Promise<Start>
}

/**
 * The stretches of accounts to read. A request reads the newest one of each account, which begins it. A follow reads the
 * older ones of all accounts that were begun, by turns and newest first. A backfill that names an account reads all.
 */
export async function planStretches(tools: Tools, context: PlanContext): Promise<Unit[]> {
  const stored = await storedStretches(tools.name, context)
  const { keys, areRequested = false, includeOpen } = context
  const accounts = [...new Set(keys.map((key) => key.toLowerCase()))]
  if (areRequested) return accounts.flatMap((account) => requested(tools, context, account, stored.get(account) ?? []))
  if (accounts.length > 0) {
    const named = accounts.map((account) => wholeHistory(tools, context, account, stored.get(account) ?? []))
    return (await Promise.all(named)).flat()
  }
  const due = [...stored].map(([account, stretches]) => ({
    checked_at: Math.max(...stretches.map(({ checked_at }) => checked_at)),
    units: dueOf(tools, context, account, stretches),
  }))
  // The account that was read the longest ago comes first, so that none waits for all of another.
  const queues = due.toSorted((a, b) => a.checked_at - b.checked_at).map(({ units }) => units)
  return byTurns(queues).slice(0, includeOpen ? unitsPerRound : Infinity)
}

/** The newest stretch of an account: at first, and a day after its last reading. */
function requested(tools: Tools, context: PlanContext, account: string, stretches: readonly StoredStretch[]): Unit[] {
  const newest = newestOf(tools, context)
  const before = stretches.find(({ from }) => from === newest)
  const rests = before !== undefined && before.state !== 'missing' && before.checked_at > context.at - DAY
  if (rests) return []
  const params = firstOf(stretches) === undefined ? [words.start, words.budget] : [words.budget]
  return [unitFrom(tools, context, { account, from: newest, params })]
}

/** All stretches of an account, without a limit. */
async function wholeHistory(
  tools: Tools,
  context: PlanContext,
  account: string,
  stretches: readonly StoredStretch[],
): Promise<Unit[]> {
  const newest = newestOf(tools, context)
  const stored = firstOf(stretches)
  const { isUsed, first } = stored === undefined ? await tools.startOf(account) : { isUsed: true, first: stored }
  const params = stored === undefined ? [words.start] : []
  const units = [unitFrom(tools, context, { account, from: newest, params })]
  return isUsed ? [...units, ...olderUnits(tools, context, { account, first, params: [] })] : units
}

/** The older stretches of an account that are due, newest first; none below one that spent its budget. */
function dueOf(tools: Tools, context: PlanContext, account: string, stretches: readonly StoredStretch[]): Unit[] {
  const { at, part, includeOpen, refresh } = context
  const isDue = (stretch: StoredStretch | undefined, { to }: Unit): boolean => {
    if (stretch === undefined || refresh) return true
    const { state, reason_code, checked_at } = stretch
    if (state === 'missing') return !includeOpen || checked_at < at - again.failed
    if (state === 'head') return stretch.to < (to ?? Infinity)
    return reason_code === 'unproved' && part.upstreams.length > 1 && checked_at < at - again.unproved
  }
  const byFrom = new Map(stretches.map((stretch) => [stretch.from, stretch]))
  const spent = Math.max(-1, ...stretches.map(({ from, reason_code }) => (reason_code === 'budget' ? from : -1)))
  const first = firstOf(stretches)
  // Without the reading that found the start, the account is not used or waits for its request.
  if (first === undefined) return []
  return olderUnits(tools, context, { account, first, params: [words.budget] })
    .filter((unit) => unit.from > spent && isDue(byFrom.get(unit.from), unit))
    .slice(0, includeOpen ? shareOf(tools, stretches) : Infinity)
}

/** The units of an account in a round: no more than its budget has room for, so that the newest stretches get it. */
function shareOf({ most }: Tools, stretches: readonly StoredStretch[]): number {
  const rows = stretches.map(({ n_rows }) => n_rows)
  const left = most - rows.reduce((sum, n) => sum + n, 0)
  return Math.min(Math.max(leastOfAccount, stretches.length), Math.max(1, Math.floor(left / Math.max(1, ...rows))))
}

/** The stretches before the newest one, newest first, down to the start of the history, and the blocks before it. */
function olderUnits(
  tools: Tools,
  context: PlanContext,
  { account, first, params }: { account: string; first: number | null; params: string[] },
): Unit[] {
  const { size } = tools
  // What came in shortly before the first transaction is part of the history.
  const start = first === null ? 0 : Math.max(0, Math.floor(first / size) - 1) * size
  const units: Unit[] = []
  for (let from = newestOf(tools, context) - size; from >= start; from -= size)
    units.push(unitFrom(tools, context, { account, from, params }))
  if (start > 0)
    units.push({
      ...unitFrom(tools, context, { account, from: 0, params: [`${words.first}${first}`] }),
      to: start,
    })
  return units
}

const newestOf = ({ size }: Tools, { watermark }: PlanContext): number =>
  Math.max(0, Math.floor((watermark.final - 1) / size) * size)

const unitFrom = (
  { name, size }: Tools,
  { part }: PlanContext,
  { account, from, params }: { account: string; from: number; params: string[] },
): Unit => unitOf({ name, unit: 'blocks', part: part.name }, { key: account, from, to: from + size, params })

/** The first of each list, then the second of each, and so on. */
const byTurns = <T>(lists: readonly (readonly T[])[]): T[] => {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, n) => lists.flatMap((list) => list.slice(n, n + 1))).flat()
}
