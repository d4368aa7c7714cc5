import { expect, test } from 'vitest'

import { createCalendar } from '#sim/markets/calendar.ts'
import { day_s, hour_s } from '#sim/markets/event_templates.ts'
import { hardenPlans } from '#sim/markets/hardship.ts'
import { decidedFrom, informationOf } from '#sim/markets/trading/information.ts'
import { createRandom } from '#sim/random.ts'

const plans = createCalendar(1, 1)
hardenPlans(plans, createRandom(1, 9))

test('an event is decided from the start of play on, or from what happens on', () => {
  const started = plans.filter(({ draft }) => draft.startsAt_s !== null)
  expect(started.map(decidedFrom)).toEqual(started.map(({ draft }) => draft.playsAt_s ?? draft.startsAt_s))
  expect(started.some(({ draft }) => draft.playsAt_s !== null)).toBe(true)
  const happened = plans.filter(({ draft }) => (draft.byDate?.happens_s ?? null) !== null)
  expect(happened.length).toBeGreaterThan(0)
  expect(happened.map(decidedFrom)).toEqual(happened.map(({ draft }) => draft.byDate?.happens_s))
})

test('a question without a start is decided once an hour has four times the news of the hours of its week', () => {
  const open = plans.filter(({ draft }) => draft.startsAt_s === null && draft.byDate === null)
  expect(open.length).toBeGreaterThan(10)
  for (const plan of open) {
    const { createdAt_s, closedAt_s } = plan.draft
    const from_s = decidedFrom(plan)
    const informationAt = informationOf(plan)
    const ratioAt = (at_s: number): number => {
      const begin_s = Math.max(createdAt_s, at_s - 7 * day_s)
      const usual = (informationAt(at_s) - informationAt(begin_s)) / (at_s - begin_s)
      return (informationAt(at_s + hour_s) - informationAt(at_s)) / hour_s / usual
    }
    expect(from_s).toBeGreaterThan(createdAt_s)
    expect(from_s).toBeLessThanOrEqual(closedAt_s)
    if (from_s < closedAt_s) expect(ratioAt(from_s)).toBeGreaterThan(4)
    expect(ratioAt(from_s - hour_s)).toBeLessThanOrEqual(4)
  }
})
