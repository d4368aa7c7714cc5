import { afterAll, beforeAll, expect, it } from 'vitest'

import { reparse } from '#ingest/reparse.ts'
import { newHome } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'

import { key, serveFake, type FakeUpstream } from './fake_upstream.ts'
import { heldQuotes, quotesOf } from './held_quotes.ts'
import { ingestPlanted, openPlanted } from './open_planted.ts'
import { begin, HOUR } from './planted_rows.ts'

const n_hours = 6
const to = begin + n_hours * HOUR
const hours = Array.from({ length: n_hours }, (_, n) => begin / 1_000_000 + n * 3600)

let world: FakeUpstream
beforeAll(async () => {
  world = await serveFake()
})
afterAll(() => world.close())

it('a source plans and reads by its settings, and a reparse reads by them again', async () => {
  const home = await newHome()
  const env = { TAPELINE_PLANTED_NAMES: 'café-1,café-3', TAPELINE_PLANTED_EVERY_HOURS: '3' }
  const planted = await openPlanted({ home, world, clock: () => to, key, env })
  const [pages, calls] = await ingestPlanted(planted, to)
  expect(pages).toMatchObject({ units: 2, rows: 4, quarantined: 0, failed: 0 })
  // The other source has no settings.
  expect(calls).toMatchObject({ units: n_hours })
  const { lake, sources } = planted.pipeline
  const named = quotesOf(
    'planted_pages',
    hours.filter((_, n) => n % 3 === 0),
  ).filter(({ market_id }) => /café-[13]$/.test(market_id))
  expect(await heldQuotes(lake, 'planted_pages')).toEqual(named)
  const before = await parquetFiles(home)
  for (const source of sources) expect(await reparse(lake, source, () => undefined)).toMatchObject({ failed: [] })
  expect(await parquetFiles(home)).toEqual(before)
  await planted.close()
})

it('a source without its variables has the defaults', async () => {
  const planted = await openPlanted({ home: await newHome(), world, clock: () => to, key })
  const [pages] = await ingestPlanted(planted, to)
  expect(pages).toMatchObject({ units: n_hours, rows: 4 * n_hours, failed: 0 })
  expect(await heldQuotes(planted.pipeline.lake, 'planted_pages')).toEqual(quotesOf('planted_pages', hours))
  await planted.close()
})

it('a malformed variable is refused before anything is read', async () => {
  const env = { TAPELINE_PLANTED_NAMES: 'café-1,,a b', TAPELINE_PLANTED_EVERY_HOURS: '25', TAPELINE_PLANTED_X: '1' }
  const opened = openPlanted({ home: await newHome(), world, clock: () => to, env })
  await expect(opened).rejects.toThrow(
    /^TAPELINE_PLANTED_X: unknown setting; expected one of \d+, such as TAPELINE_PLANTED_NAMES, /m,
  )
  await expect(opened).rejects.toThrow(
    [
      'TAPELINE_PLANTED_NAMES=café-1,,a b: invalid; expected names, separated by commas',
      'TAPELINE_PLANTED_EVERY_HOURS=25: invalid; expected a whole number from 1 to 24',
    ].join('\n'),
  )
})
