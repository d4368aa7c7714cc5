import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createPages } from '#ingest/plan.ts'
import type { Lake } from '#lake/lake.ts'
import { storeFailure } from '#lake/units/store_unit.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { newLake, noon, storeRows } from '#test/lake/fixture.ts'

import { second, unitOf } from './tiny.ts'

const units = Array.from({ length: 50 }, (_, n) => unitOf(`0x${String(n).padStart(2, '0')}`))
const request = { source: 'venue_quotes', at: noon, from: 0, to: noon, keys: [] }

/** The pages of one process, and the number of its plans so far. */
function pagesOf(lake: Lake, due: readonly Unit[] = units) {
  const pages = createPages(lake, () => noon + second)
  const counts = { plans: 0 }
  const page = (after: string, limit: number, more: object = {}) =>
    pages({ ...request, ...more, after, limit }, async () => {
      counts.plans += 1
      return { units: [...due] }
    })
  return { page, counts }
}

const keysOf = (some: readonly Unit[]): string[] => some.map(({ key }) => key)

test('the pages of a request have all units of one plan, each once and in order', async () => {
  const lake = await newLake()
  const limits = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 50, maxLength: 50 })
  await fc.assert(
    fc.asyncProperty(fc.subarray(units), limits, async (due, sizes) => {
      const { page, counts } = pagesOf(lake, due)
      const seen: Unit[] = []
      for (let after = ''; ;) {
        const { units: next, last, due: left } = await page(after, sizes.pop() ?? 1)
        expect(left).toBe(due.length - seen.length)
        seen.push(...next)
        after = last
        if (next.length === left) break
      }
      expect(seen).toEqual(due)
      expect(counts.plans).toBe(1)
    }),
    { numRuns: 30 },
  )
})

test('a page is given again after its answer was lost', async () => {
  const { page, counts } = pagesOf(await newLake())
  const { last } = await page('', 20)
  const second_page = await page(last, 20)
  expect(await page(last, 20)).toEqual(second_page)
  expect(counts.plans).toBe(1)
})

test('a first page, another request, an earlier page and another process are planned anew', async () => {
  const lake = await newLake()
  const { page, counts } = pagesOf(lake)
  const { last } = await page('', 20)
  await page('', 20)
  expect(counts.plans).toBe(2)
  await page(last, 5, { at: noon + second })
  expect(counts.plans).toBe(3)
  expect(keysOf((await page(unitPath(units[9] as Unit), 5, { at: noon + second })).units)).toEqual(
    keysOf(units.slice(10, 15)),
  )
  expect(counts.plans).toBe(4)
  const other = pagesOf(lake)
  expect(keysOf((await other.page(last, 5)).units)).toEqual(keysOf(units.slice(20, 25)))
  expect(other.counts.plans).toBe(1)
})

test('a later page leaves out what another run has read since, and has what failed', async () => {
  const lake = await newLake()
  const { page, counts } = pagesOf(lake)
  const { last } = await page('', 10)
  const reading = { checkedAt: noon + second, to: noon + second }
  for (const unit of units.slice(10, 22)) await storeRows(lake, unit, { quotes: [] }, reading)
  // A clock that was ahead has read this one.
  await storeRows(lake, units[24] as Unit, { quotes: [] }, { checkedAt: noon + 3_600 * second })
  // A reading as of the same instant is of this run, and a failed one has stored nothing.
  await storeRows(lake, units[22] as Unit, { quotes: [] })
  const failure = { datasets: ['quotes'] as const, precedence: 1, reason: 'no', asked: [], checkedAt: noon + second }
  await storeFailure(lake, units[23] as Unit, failure)
  const next = await page(last, 10)
  expect(keysOf(next.units)).toEqual(keysOf(units.slice(22, 32)))
  expect(next.due).toBe(28)
  for (const unit of units.slice(32)) await storeRows(lake, unit, { quotes: [] }, reading)
  expect(await page(next.last, 10)).toEqual({ units: [], last: next.last, due: 0 })
  expect(counts.plans).toBe(1)
})
