import { expect, test } from 'vitest'

import { clock, run } from '#test/scoring/model.ts'

import { given, namesOf } from './fixture.ts'

test('pm_markets has the markets that were open within 24 hours, and those with an unknown close', async () => {
  const rows = await run('marts.pm_markets', given)
  expect(namesOf(rows)).toEqual(['closed today', 'open', 'paused', 'resolved today'])
  expect(rows.find(({ is_open }) => is_open === true)).toEqual({
    id: 'polymarket:open',
    question: 'Will open?',
    yes_price: 0.333333,
    no_price: 0.666667,
    volume_24h: 12.35,
    platform: 'polymarket',
    is_open: true,
    event_id: 'polymarket:e',
    yes_method: 'mid',
    yes_at: clock,
    volume_method: 'fills',
  })
})
