import { rm } from 'node:fs/promises'

import { expect, test } from 'vitest'

import { createActivities } from '#activities/index.ts'
import { buildMarts } from '#builder/build.ts'
import { loadScoring } from '#scoring/index.ts'
import { tinySource, tinyTools, unitOf } from '#test/ingest/tiny.ts'
import { newLake, noon } from '#test/lake/fixture.ts'

import { randomFrom } from './hostile.ts'

const source = 'polymarket_activity'
const followed = `0x${'1'.repeat(40)}`

test('requested addresses that no venue knows change no mart, and one that is followed has a row', async () => {
  const lake = await newLake()
  const random = randomFrom(9)
  const strangers = Array.from(
    { length: 50 },
    () => `0x${Array.from({ length: 40 }, () => random(16).toString(16)).join('')}`,
  )
  const venue = tinySource({
    name: source,
    datasets: ['activity'],
    read: async () => ({ rows: { activity: [] }, rejected: [], state: 'complete', proof: 'the venue has no rows' }),
  })
  const requests = {
    list: async () => [],
    followed: async () => [],
    strangers: async (keys: string[]) => keys,
    complete: async () => undefined,
  }
  const activities = createActivities({ ...tinyTools(lake, venue, noon), requests })
  const settings = { models: await loadScoring(), asOf: noon, threads: 1, memory: '512MB', now: () => noon }
  const marts = async () => {
    const { tables, file, derived } = await buildMarts(lake, 'scores', settings)
    for (const path of [file, lake.local.locate(derived)]) await rm(path, { recursive: true })
    return tables.map(({ name, n_rows, content_hash }) => ({ name, n_rows, content_hash }))
  }
  const unitFor = (key: string) => ({ ...unitOf(key), source })
  await activities.pull({ units: [unitFor(followed)], at: noon, rate: null })
  const before = await marts()
  expect(before.find(({ name }) => name === 'pm_wallet')?.n_rows).toBe(1)

  const { empty } = await activities.pull({ units: strangers.map(unitFor), at: noon, rate: null, areRequested: true })
  expect(empty).toHaveLength(strangers.length)
  expect(await marts()).toEqual(before)
})
