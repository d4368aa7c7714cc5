import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { newHome } from '#test/lake/fixture.ts'

import { key, serveFake, type FakeUpstream } from './fake_upstream.ts'
import { ingestPlanted, openPlanted } from './open_planted.ts'
import { begin, HOUR } from './planted_rows.ts'

const n_hours = 10
const to = begin + n_hours * HOUR

let world: FakeUpstream
beforeAll(async () => {
  world = await serveFake()
})
afterAll(() => world.close())

/** Reads the planted sources with units logged in a form, and returns standard error line by line. */
async function linesOf(form: string, read: (lake: Lake) => Promise<void> = async () => undefined): Promise<string[]> {
  const spy = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    const env = { TAPELINE_LOG_UNITS: form }
    const planted = await openPlanted({ home: await newHome(), world, clock: () => to, key, env })
    await ingestPlanted(planted, to)
    await read(planted.pipeline.lake)
    await planted.close()
    return spy.mock.calls.flatMap(([text]) => String(text).split('\n').filter(Boolean))
  } finally {
    spy.mockRestore()
  }
}

const lineShape = z.strictObject({
  level: z.number(),
  time: z.number(),
  source: z.string(),
  part: z.string(),
  unit: z.string(),
  from: z.string(),
  to: z.string(),
  outcome: z.string(),
  rows: z.number(),
  quarantined: z.number(),
  bytes: z.number(),
  requests: z.number(),
  seconds: z.number(),
  reason: z.string().nullable(),
})
type Line = z.infer<typeof lineShape>

const entryShape = z.object({ unit: z.string(), state: z.string(), n: z.number(), reason: z.string().nullable() })

it('has a JSON line for each unit, with all of its requests and without the key', async () => {
  const asked = (): number => Object.values(world.counts).reduce((sum, n) => sum + n, 0)
  const before = asked()
  const stored: z.infer<typeof entryShape>[] = []
  const texts = await linesOf('json', async (lake) => {
    const sql = `select unit, any_value(state) as state, sum(n_rows)::int as n, any_value(reason) as reason
      from lake.coverage group by unit order by unit`
    stored.push(...(await lake.read(({ query }) => query(sql, entryShape))))
  })
  const lines = texts.map((text): Line => lineShape.parse(JSON.parse(text)))
  const summaries = lines.map(({ unit, outcome, rows, reason }) => ({ unit, state: outcome, n: rows, reason }))
  expect(summaries.toSorted((a, b) => (a.unit < b.unit ? -1 : 1))).toEqual(stored)
  expect(stored).toHaveLength(2 * n_hours)
  expect(lines.reduce((sum, { requests }) => sum + requests, 0)).toBe(asked() - before)
  const failed = lines.filter(({ level }) => level > 30)
  expect(failed).toMatchObject([{ level: 40, outcome: 'missing', rows: 0, requests: 1, source: 'planted_calls' }])
  expect(failed[0]?.reason).toContain('bad request by [key removed]')
  expect(new Date(lines[0]?.from ?? '').getTime()).toBeGreaterThanOrEqual(begin / 1_000)
  expect(texts.join('\n').includes(key)).toBe(false)
})

it('has lines of text too, and by default none', async () => {
  const lines = await linesOf('text')
  expect(lines).toHaveLength(2 * n_hours)
  for (const line of lines) {
    expect(line).toMatch(
      /^\S+Z {2}planted_\w+\/\S+ {2}\S+Z to \S+Z {2}\w+, \d+ rows, .*[\d,]+ bytes, \d+ requests, \d+\.\d s(: .*)?$/,
    )
  }
  expect(lines.join('\n').includes(key)).toBe(false)
  expect(await linesOf('0')).toEqual([])
})
