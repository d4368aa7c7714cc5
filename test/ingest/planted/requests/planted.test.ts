import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'

import { reportUnfollowed } from '#bin/report/source_health.ts'
import { reparse } from '#ingest/reparse.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { listRaw, readRaw } from '#lake/units/raw_responses.ts'
import { fastClock } from '#sim/clock.ts'
import { newHome } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'
import { loader } from '#test/run/loader.ts'
import { sized } from '#test/run/sized.ts'
import { machineClock } from '#time.ts'
import { follow } from '#workflows/follow.ts'

import { key, serveFake, type FakeUpstream } from './fake_upstream.ts'
import { heldQuotes, quotesOf } from './held_quotes.ts'
import { ingestPlanted, openPlanted, plantedSources } from './open_planted.ts'
import { plantedCalls } from './planted_calls.ts'
import { begin, HOUR, isBroken } from './planted_rows.ts'

const n_hours = 20
const to = begin + n_hours * HOUR
const hours = Array.from({ length: n_hours }, (_, n) => begin / 1_000_000 + n * 3600)
const clock = (): number => to

let world: FakeUpstream
beforeAll(async () => {
  world = await serveFake()
})
afterAll(() => world.close())

const coverageShape = z.object({
  hour: z.number(),
  state: z.string(),
  reason: z.string().nullable(),
  asked: z.string(),
})
const coverage = (lake: Lake, source: string) =>
  lake.read(({ query }) =>
    query(
      `select epoch(from_at)::integer as hour, state, reason, array_to_string(asked, ' ') as asked from lake.coverage
       where source = $source order by hour`,
      coverageShape,
      { source },
    ),
  )

/** A file's text; empty if it is gone since it was listed, as the log of a database is that was closed. */
const readIfThere = (path: string): Promise<string> =>
  readFile(path, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })

/** Every text that a home holds, raw responses and rows included. */
async function textsOf(home: string): Promise<string> {
  const entries = (await readdir(home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const texts = await Promise.all(entries.map((entry) => readIfThere(join(entry.parentPath, entry.name))))
  const lake = await openLake(home, { threads: 1, memory: '512MB' })
  for (const { name } of plantedSources) {
    for (const path of await listRaw(lake, name)) texts.push(JSON.stringify(await readRaw(lake, path)))
  }
  for (const table of ['coverage', 'quarantine', 'quotes']) {
    const rows = await lake.read(({ query }) =>
      query(`select to_json(t)::varchar as row from lake.${table} t`, z.object({ row: z.string() })),
    )
    for (const { row } of rows) texts.push(row)
  }
  await lake.close()
  return texts.join('\n')
}

const secrets = [key, 'canary', 'sesame', encodeURIComponent(key), Buffer.from(key).toString('base64')]
function expectNoKey(text: string): void {
  for (const secret of secrets) expect(text.includes(secret)).toBe(false)
}

describe('a backfill of planted sources', () => {
  it('stores what the upstream has, says what is missing and why, and shows the key nowhere', async () => {
    const home = await newHome()
    const planted = await openPlanted({ home, world, clock, key })
    const [pages, calls] = await ingestPlanted(planted, to)
    const { lake } = planted.pipeline
    expect(pages).toMatchObject({ units: n_hours, failed: 0, rows: 4 * n_hours, quarantined: 4 })
    expect(calls).toMatchObject({ units: n_hours - 1, failed: 1, rows: 4 * (n_hours - 1), quarantined: 4 })
    expect(calls?.failures[0]?.reason).toContain('answered 400 (1 attempt): {"error":"bad request by [key removed]"}')
    expect(await heldQuotes(lake, 'planted_pages')).toEqual(quotesOf('planted_pages', hours))
    const known = hours.filter((_, n) => n !== 6)
    expect(await heldQuotes(lake, 'planted_calls')).toEqual(quotesOf('planted_calls', known))
    expect((await coverage(lake, 'planted_pages')).map(({ state }) => state)).toEqual(
      hours.map((hour) => (isBroken(hour) ? 'quarantined' : 'done')),
    )
    const covered = await coverage(lake, 'planted_calls')
    expect(covered[6]).toMatchObject({ state: 'missing', reason: expect.stringContaining('[key removed]') })
    expect(covered[2]?.asked).toBe('planted_calls')
    expect(covered[3]?.asked).toBe('planted_calls planted_calls_spare')
    expect(await lake.world()).toBe('planted')
    // Read again from the stored responses, the same files come out.
    const before = await parquetFiles(home)
    for (const source of plantedSources)
      expect(await reparse(lake, source, () => undefined)).toMatchObject({ failed: [] })
    expect(await parquetFiles(home)).toEqual(before)
    await planted.close()
    expectNoKey((await textsOf(home)) + JSON.stringify([pages, calls]))
  })

  it('that is killed and begun again leaves the same lake, and writes the key to no stream', async () => {
    const undisturbed = await newHome()
    const planted = await openPlanted({ home: undisturbed, world, clock, key })
    await ingestPlanted(planted, to)
    await planted.close()
    const killed = await newHome()
    let output = ''
    const run = async (kill_after: number | undefined): Promise<string | number | null> => {
      const args = [...loader, 'test/ingest/planted/requests/worker.ts', killed, JSON.stringify(world), `${to}`]
      const child = spawn(process.execPath, args, {
        env: { ...process.env, PLANTED_KEY: key },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)))
      const ended = once(child, 'exit')
      if (kill_after !== undefined) {
        await Promise.race([world.seen(kill_after), ended])
        child.kill('SIGKILL')
      }
      const [code, signal] = await ended
      return signal ?? code
    }
    for (const n_requests of sized([12], [8, 16], [8, 12, 16])) expect(await run(n_requests)).toBe('SIGKILL')
    expect(await run(undefined)).toBe(0)
    expect(await parquetFiles(killed)).toEqual(await parquetFiles(undisturbed))
    expect(output).toMatch(/requests \d+/)
    expectNoKey(output + (await textsOf(killed)))
  })
})

describe('a follow of planted sources', () => {
  it('reads each hour as it comes, and goes on where it was', async () => {
    const home = await newHome()
    for (const start of [begin + HOUR, begin + 3 * HOUR]) {
      // Half an hour of the world passes in a second.
      const now = fastClock({ start, speed: 1_800, machine: machineClock })
      const planted = await openPlanted({ home, world, clock: now, speed: 1_800, key })
      const sources = plantedSources.map(({ name }) => name)
      const args = [{ group: 'planted', part: 'planted', sources, from: begin }] as const
      await planted.engine.start(follow, { id: 'follow-planted', args: [...args], restartOnFailure: true })
      const { lake } = planted.pipeline
      const isClosed = async (source: string): Promise<boolean> =>
        (await coverage(lake, source)).some(({ hour, state }) => hour * 1_000_000 === start && state === 'done')
      for (const source of sources) while (!(await isClosed(source))) await sleep(100)
      await planted.close()
    }
    const lake = await openLake(home, { threads: 1, memory: '512MB' })
    const ended = hours.slice(0, 4)
    const states = (await coverage(lake, 'planted_calls')).slice(0, 4)
    expect(states).toMatchObject(ended.map((hour) => ({ hour, state: 'done' })))
    const rows = (await heldQuotes(lake, 'planted_calls')).filter(({ ts }) => ts < begin + 4 * HOUR)
    expect(rows).toEqual(quotesOf('planted_calls', ended))
    await lake.close()
    expectNoKey(await textsOf(home))
  })
})

describe('a source whose key is not set', () => {
  it('opens, is left out of a follow with a line, and says in a backfill which setting is missing', async () => {
    const home = await newHome()
    const planted = await openPlanted({ home, world, clock })
    const { pipeline, config } = planted
    const plan = { at: to, from: begin, to, keys: [], after: '', limit: 100 }
    const due = async (source: string, includeOpen: boolean) =>
      (await pipeline.activities.plan({ source, includeOpen, ...plan })).due
    expect(await due('planted_calls', true)).toBe(0)
    expect(await due('planted_pages', true)).toBe(n_hours)
    expect(await due('planted_calls', false)).toBe(n_hours)

    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    reportUnfollowed(config.hosts, plantedSources)
    expect(written.mock.calls).toEqual([['planted_calls planted: not followed; expected a key in PLANTED_KEY\n']])
    // A simulated world lacks the hosts that it does not serve.
    const ofPages = plantedSources.filter(({ name }) => name === 'planted_pages')
    reportUnfollowed({}, ofPages)
    expect(written.mock.calls[1]).toEqual([
      expect.stringMatching(/^planted_pages \w+: not followed; expected an address in PLANTED\w*_URL\n$/),
    ])
    written.mockRestore()

    const before = world.counts['planted_calls']
    const [pages, calls] = await ingestPlanted(planted, begin + 2 * HOUR)
    expect(pages).toMatchObject({ units: 2, failed: 0 })
    expect(calls).toMatchObject({ units: 0, failed: 2 })
    expect(world.counts['planted_calls']).toBe(before)
    expect((await coverage(pipeline.lake, plantedCalls.name))[0]).toMatchObject({
      state: 'missing',
      reason: expect.stringContaining('PLANTED_KEY is not set; expected a key'),
      asked: '',
    })
    await planted.close()
  })
})
