import { expect, test } from 'vitest'

import { dataPath, rawPath, unitPath, type Unit } from '#lake/units/unit.ts'
import { lifeOf, noon } from '#test/lake/fixture.ts'

const hour: Unit = { ...lifeOf(''), kind: 'hour', from: noon - 300_000_000, to: noon + 3_300_000_000 }

test('the id of a unit follows from its kind', () => {
  expect(unitPath(lifeOf('0xabc'))).toBe('venue_quotes/venue/0xabc')
  expect(unitPath(hour)).toBe('venue_quotes/venue/2026-11-20T13')
  expect(unitPath({ ...hour, kind: 'observation', from: noon })).toBe('venue_quotes/venue/2026-11-20T1305')
  expect(unitPath({ ...hour, kind: 'blocks', from: 19_000_000, to: 19_000_100 })).toBe(
    'venue_quotes/venue/000019000000-000019000099',
  )
})

test('its data files are named by the unit and their digest, in a folder of few', () => {
  const digest = 'a'.repeat(64)
  expect(dataPath(hour, digest)).toBe('venue_quotes/venue/2026-11-20T13.aaaaaaaaaaaa.parquet')
  // md5('0xabc') begins with 2a.
  expect(dataPath(lifeOf('0xabc'), digest)).toBe('venue_quotes/venue/2a/0xabc.aaaaaaaaaaaa.parquet')
  expect(rawPath(lifeOf('0xabc'))).toBe('raw/venue_quotes/venue/2a/0xabc.ndjson.zst')
  expect(rawPath(hour)).toBe('raw/venue_quotes/venue/2026-11-20T13.ndjson.zst')
})

test('its params and its staleness do not change its path', () => {
  expect(unitPath({ ...lifeOf('0xabc'), params: ['0xdef'], forceRefresh: true, to: noon })).toBe(
    unitPath(lifeOf('0xabc')),
  )
})
