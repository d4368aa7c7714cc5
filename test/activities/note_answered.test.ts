import { expect, test } from 'vitest'

import { createActivities } from '#activities/index.ts'
import { noteRounds, readFollows } from '#lake/catalog/follows.ts'
import { second, tinyHttp, tinySource, tinyTools, unitOf } from '#test/ingest/tiny.ts'
import { newLake, noon } from '#test/lake/fixture.ts'

test('a batch that its upstream answers counts for the follow of its group and part; a failed batch does not', async () => {
  const lake = await newLake()
  const named = (name: string, group: string) => tinySource({ name, follow: { group } })
  const quotes = named('venue_quotes', 'histories')
  const sources = [quotes, named('venue_lists', 'histories'), named('venue_odds', 'odds')]
  const round = { part: 'venue', every_s: 60, reached: 1, failed_rounds: 0, fault: null }
  await noteRounds(
    lake.catalog,
    sources.map(({ name }) => ({ ...round, source: name })),
    1_000,
  )
  const { http } = tinyHttp({ '0xa': [{ ts: noon / second - 60, bid: 5 }] })
  const { pull } = createActivities({ ...tinyTools(lake, quotes, noon), sources, http })
  const readSince = async (): Promise<string[]> =>
    (await readFollows(lake.catalog)).filter(({ read_ms }) => (read_ms ?? 0) > 1_000).map(({ source }) => source)
  expect(await pull({ units: [unitOf('0xb')], at: noon, rate: null })).toMatchObject({ units: 0, failed: 1 })
  expect(await readSince()).toEqual([])
  expect(await pull({ units: [unitOf('0xa')], at: noon, rate: null })).toMatchObject({ units: 1, failed: 0 })
  expect(await readSince()).toEqual(['venue_lists', 'venue_quotes'])
})
