import { expect, test } from 'vitest'

import { fills } from '#lake/datasets/markets.ts'
import { coveragePath, rawPath, rowsPath, unitPath, type Unit } from '#lake/units/unit.ts'
import { lifeOf, noon } from '#test/lake/fixture.ts'

const hour: Unit = { ...lifeOf(''), kind: 'hour', from: noon - 300_000_000, to: noon + 3_300_000_000 }

test('a unit lies where its kind says, and nowhere else', () => {
  // md5('0xabc') begins with 2a.
  expect(unitPath(lifeOf('0xabc'))).toBe('venue_quotes/venue/2a/0xabc')
  expect(unitPath(hour)).toBe('venue_quotes/venue/2026-11-20T13')
  expect(unitPath({ ...hour, kind: 'observation', from: noon })).toBe('venue_quotes/venue/2026-11-20T1305')
  expect(unitPath({ ...hour, kind: 'blocks', from: 19_000_000, to: 19_000_100 })).toBe(
    'venue_quotes/venue/000019000000-000019000099',
  )
})

test('its rows, its coverage and its raw bodies lie apart', () => {
  expect(rowsPath(fills, hour)).toBe('lake/fills/v1/venue_quotes/venue/2026-11-20T13.parquet')
  expect(coveragePath(hour)).toBe('lake/coverage/v1/venue_quotes/venue/2026-11-20T13.ndjson')
  expect(rawPath(hour)).toBe('raw/venue_quotes/venue/2026-11-20T13.ndjson.zst')
})

test('what it asks for and whether it is stale do not move it', () => {
  expect(unitPath({ ...lifeOf('0xabc'), params: ['0xdef'], forceRefresh: true, to: noon })).toBe(
    unitPath(lifeOf('0xabc')),
  )
})
