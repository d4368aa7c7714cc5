import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { RejectedRow } from '#ingest/source.ts'
import { idOfRow, parseHistory, type History } from '#sources/markets/limitless/wire/history.ts'
import { openEvidence } from '#sources/markets/limitless/wire/history_evidence.ts'
import { parseHistoryRow } from '#sources/markets/limitless/wire/history_rows.ts'
import { hex, historyBody, wallet } from '#test/sources/markets/limitless/wire.ts'

const reading = { account: wallet(1), path: '/history' }

/** An amount in one of the notations, or none. */
const amount = fc.constantFrom<unknown>('25.5', 51, '50', '100', '51000000', '25500000', '100000', 'many', null)
const body = fc
  .record({
    tradeEventId: fc.constantFrom<unknown>(1, '1', 2, 'b', 'c', '', null),
    strategy: fc.constantFrom('Limit Buy', 'Market Sell', 'Split', 'Gift'),
    collateralAmount: amount,
    outcomeTokenAmount: amount,
    outcomeTokenPrice: fc.constantFrom(0.5, 0.51, null),
    transactionHash: fc.constantFrom(hex(1), hex(2), null),
    makerMatchId: fc.constantFrom('m', null),
  })
  .map((more) => historyBody({ ...more, outcomeTokenAmounts: [more.outcomeTokenAmount] }))
const pages = fc.array(fc.array(body, { maxLength: 6 }), { maxLength: 5 })

const asText = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? `${item}` : item))

/** The rows of a history that is in memory as a whole, in the order in which they came. */
function wholeHistory(bodies: readonly Record<string, unknown>[]): { rows: History; rejected: RejectedRow[] } {
  const amounts = bodies.flatMap(({ collateralAmount: cash, outcomeTokenAmount: size }) =>
    cash === null || size === null ? [] : [Number(cash), Number(size)].filter((value) => !Number.isNaN(value)),
  )
  const isRaw = amounts.every(Number.isInteger) && amounts.some((value) => value >= 100_000)
  const rows: History = { fills: [], activity: [] }
  const rejected: RejectedRow[] = []
  const seen = new Map<string, string>()
  for (const one of bodies) {
    const { dataset, row } = parseHistoryRow(one, reading.account, isRaw ? 'raw' : 'decimal')
    const reject = (reason: string) => void rejected.push({ dataset, path: reading.path, reason, body: one })
    if (row.reason !== undefined) reject(row.reason)
    else if (!seen.has(row.id)) {
      seen.set(row.id, asText(row))
      if (row.fill !== undefined) rows.fills.push(row.fill)
      if (row.move !== undefined) rows.activity.push(row.move)
    } else if (seen.get(row.id) !== asText(row)) reject(`tradeEventId: another row has ${row.id}; expected its own`)
  }
  return { rows, rejected }
}

test('a history that is read by ids has the rows and the rejected rows of one that is read as a whole', async () => {
  const parts = fc.integer({ min: 1, max: 4 })
  await fc.assert(
    fc.asyncProperty(pages, parts, fc.func(fc.integer()), async (all, size, shuffle) => {
      const evidence = openEvidence()
      for (const page of all) evidence.add(page)
      const bodies = all.flat().map((one, place) => ({ place, key: idOfRow(one), body: one }))
      // The order of keys is that of a table, which nothing rests on.
      const rankOf = new Map([...new Set(bodies.map(({ key }) => key))].map((key) => [key, shuffle(key)]))
      const order = ({ key }: { key: string }) => rankOf.get(key) ?? 0
      const byKey = bodies.toSorted(
        (a, b) => order(a) - order(b) || (a.key < b.key ? -1 : a.key > b.key ? 1 : a.place - b.place),
      )
      const some = async function* () {
        for (let n = 0; n < byKey.length; n += size) yield byKey.slice(n, n + size)
      }
      const rows: History = { fills: [], activity: [] }
      const rejected = await parseHistory(some(), { ...reading, notation: evidence.notation() }, async (kept) => {
        rows.fills.push(...kept.fills)
        rows.activity.push(...kept.activity)
      })
      const whole = wholeHistory(all.flat())
      expect(rejected).toEqual(whole.rejected)
      expect(rows.fills.map(asText).toSorted()).toEqual(whole.rows.fills.map(asText).toSorted())
      expect(rows.activity.map(asText).toSorted()).toEqual(whole.rows.activity.map(asText).toSorted())
    }),
    { numRuns: 500 },
  )
})
