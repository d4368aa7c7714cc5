import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'
import { z } from 'zod'

import { publish } from '#builder/publish.ts'
import { openLake } from '#lake/lake.ts'
import { createRandom } from '#sim/random.ts'
import { newHome, noon } from '#test/lake/fixture.ts'
import { loader } from '#test/run/loader.ts'
import { sized } from '#test/run/sized.ts'
import {
  hour,
  minute,
  plantBook,
  plantFills,
  plantMarkets,
  pulseModels,
  settingsAt,
} from '#test/signals/planted_signals.ts'

const ticks = sized(3, 3, 5)
const kills = sized(2, 3, 5)
const names = Array.from({ length: ticks }, (_, n) => `m${n}`)
const rowShape = z.record(z.string(), z.unknown())

/** A lake in which the odds of another market move each minute, and in which two signals are due for a grade. */
async function plantLake(): Promise<string> {
  const home = await newHome()
  const lake = await openLake(home, { threads: 1, memory: '512MB' })
  await plantMarkets(lake, names, true)
  for (const [n, name] of names.entries()) {
    await plantFills(lake, name, [{ size: 50_000_000_000n, ts: noon + n * minute }])
    await plantBook(lake, name, [
      [noon - 24 * hour, 400_000n],
      [noon + n * minute, 950_000n],
    ])
  }
  await lake.close()
  return home
}

/** The published signals and the grades, as they are stored. */
async function factsOf(home: string): Promise<{ feed: unknown[]; grades: unknown[] }> {
  const lake = await openLake(home, { threads: 1, memory: '512MB' })
  const read = (sql: string) => lake.read(({ query }) => query(sql, rowShape))
  const feed = await read('select * from lake.feed order by published_at')
  const grades = await read('select * from lake.grades order by graded_at')
  await lake.close()
  return { feed, grades }
}

/**
 * Publishes in a process of its own, which is killed some time after the begin of a tick, at the latest before the
 * next one. Returns whether it was killed.
 */
async function publishIn(home: string, run: number, kill?: { tick: number; after_ms: number }): Promise<boolean> {
  const last = kill === undefined ? [] : [String(kill.tick)]
  const of = [home, String(ticks), String(run * 60), ...last]
  const args = [...loader, 'test/pipeline/signals/worker.ts', ...of]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  let text = ''
  child.stdout.on('data', (data: Buffer) => {
    const isBefore = !text.includes(`tick ${kill?.tick}\n`)
    text += data.toString()
    if (kill !== undefined && isBefore && text.includes(`tick ${kill.tick}\n`))
      setTimeout(() => child.kill('SIGKILL'), kill.after_ms)
  })
  const [code, signal] = await ended
  if (signal !== 'SIGKILL') expect(code).toBe(0)
  return signal === 'SIGKILL'
}

test(`signals and grades stay as they were through ${kills} kills at random moments, restarts and a rebuild`, async () => {
  const undisturbed = await plantLake()
  await publishIn(undisturbed, 0)
  const truth = await factsOf(undisturbed)
  expect(truth.feed.length).toBeGreaterThanOrEqual(ticks)
  expect(truth.grades).toHaveLength(2)

  const killed = await plantLake()
  const random = createRandom(16, 1)
  for (let n = 0; n < kills; n++) {
    // At least one more tick would follow.
    expect(await publishIn(killed, n, { tick: n % (ticks - 1), after_ms: 150 * random.next() })).toBe(true)
    const { feed, grades } = await factsOf(killed)
    expect(feed).toEqual(truth.feed.slice(0, feed.length))
    expect(grades).toEqual(truth.grades.slice(0, grades.length))
  }
  await publishIn(killed, kills)
  expect(await factsOf(killed)).toEqual(truth)

  for (const folder of ['marts', 'derived']) await rm(join(killed, folder), { recursive: true, force: true })
  const lake = await openLake(killed, { threads: 1, memory: '512MB' })
  const models = await pulseModels()
  const { tables } = await publish(lake, 'pulse', settingsAt(models, noon + ticks * minute))
  await lake.close()
  expect(tables.find(({ name }) => name === 'feed')?.n_rows).toBe(truth.feed.length)
  expect(await factsOf(killed)).toEqual(truth)
})
