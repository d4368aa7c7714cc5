import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { condition, defineQuery, defineSignal, proxyActivities, setHandler, sleep } from '#engine'
import { openLocal } from '#engine/embedded_client.ts'
import type { Engine } from '#engine/engine.ts'

type Doing = { act: () => Promise<number> }
const { act } = proxyActivities<Doing>({ startToCloseTimeout: 60_000, retry: { maximumAttempts: 1 } })

const progress = defineQuery<{ n: number }>('progress')
const go = defineSignal<[by: number]>('go')

/** Counts what it is told, until it is told ten. */
async function counting(from: number): Promise<number> {
  const state = { n: from }
  setHandler(progress, () => state)
  setHandler(go, (by) => {
    state.n += by
  })
  await condition(() => state.n >= 10)
  return state.n
}

/** Calls its activity for ever. */
async function endless(): Promise<never> {
  for (;;) {
    await act()
    await sleep(10)
  }
}

const once = (): Promise<number> => act()

let folder: string
let here: Engine
let there: Engine
const errors: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapeline-runs-'))
  errors.length = 0
  const onError = (id: string, error: unknown): void => void errors.push(`${id}: ${String(error)}`)
  here = openLocal({ activities: { act: async () => 1 }, folder, onError })
  there = openLocal({ activities: {}, folder, onError })
})

afterEach(async () => {
  await here.close()
  await rm(folder, { recursive: true, force: true })
})

describe('a run of this process', () => {
  test('is seen by others, takes their orders, and is gone once it has ended', async () => {
    const run = await here.start(counting, { id: 'count', args: [3] })
    expect(await there.list()).toEqual([{ id: 'count', workflow: 'counting', progress: { n: 3 } }])
    const seen = await there.find('count')
    await seen.signal(go, 4)
    expect(await run.query(progress)).toEqual({ n: 7 })
    await vi.waitFor(async () => expect((await there.list())[0]?.progress).toEqual({ n: 7 }))
    await seen.signal(go, 5)
    expect(await run.result()).toBe(12)
    expect(await there.list()).toEqual([])
    expect(await readdir(folder)).toEqual([])
    await expect(there.find('count')).rejects.toThrow('count is not running; nothing is')
  })

  test('may be cancelled by others', async () => {
    const run = await here.start(counting, { id: 'count', args: [0] })
    const outcome = run.result().catch((error: unknown) => error)
    await (await there.find('count')).cancel()
    expect(await outcome).toMatchObject({ name: 'CancelledFailure' })
  })

  test('is one, however often it is started', async () => {
    const [first, second] = [
      await here.start(counting, { id: 'count', args: [0] }),
      await here.start(counting, { id: 'count', args: [0] }),
    ]
    expect([first.isOld, second.isOld]).toEqual([false, true])
    await second.signal(go, 10)
    expect(await first.result()).toBe(10)
    const third = await here.start(counting, { id: 'count', args: [11] })
    expect(third.isOld).toBe(false)
    expect(await third.result()).toBe(11)
  })

  test('that is named like one of another process gets a name of its own', async () => {
    await here.start(counting, { id: 'count', args: [0] })
    const twin = await there.start(counting, { id: 'count', args: [1] })
    expect((await here.list()).map(({ id }) => id).toSorted()).toEqual(['count', `count-${process.pid}`])
    await twin.signal(go, 9)
    expect(await twin.result()).toBe(10)
  })

  test('that is not there is told apart from those that are', async () => {
    await here.start(counting, { id: 'count', args: [0] })
    await expect(there.find('other')).rejects.toThrow('other is not running; there is count')
  })
})

describe('what others left', () => {
  const leave = async (id: string, told: { host: string; pid: number }, silent_s: number): Promise<void> => {
    const file = join(folder, `${id}.json`)
    await writeFile(file, JSON.stringify({ ...told, state: { id, workflow: 'w', progress: null } }))
    const at = new Date(Date.now() - silent_s * 1000)
    await utimes(file, at, at)
  }

  test('does not run: its number may be somebody else’s, and elsewhere only its silence tells', async () => {
    await leave('reused', { host: hostname(), pid: process.ppid }, 120)
    await leave('silent', { host: 'elsewhere', pid: process.ppid }, 120)
    await leave('telling', { host: 'elsewhere', pid: 2 ** 30 }, 0)
    await leave('here', { host: hostname(), pid: process.ppid }, 0)
    expect((await here.list()).map(({ id }) => id).toSorted()).toEqual(['here', 'telling'])
  })

  test('an order for a run that died is none for the next of its name', async () => {
    await mkdir(join(folder, 'count.orders'))
    await writeFile(join(folder, 'count.orders', '1.json'), '{"name":"cancel","args":[]}')
    const run = await here.start(counting, { id: 'count', args: [0] })
    const seen = await there.find('count')
    await seen.signal(go, 10)
    expect(await run.result()).toBe(10)
  })

  test('what is no order is taken away, and the run goes on', async () => {
    const run = await here.start(counting, { id: 'count', args: [0] })
    await writeFile(join(folder, 'count.orders', '0.json'), '{')
    await (await there.find('count')).signal(go, 10)
    expect(await run.result()).toBe(10)
  })
})

describe('where nothing can be told', () => {
  test('nothing is started, and a schedule tries again', async () => {
    const file = join(folder, 'taken')
    await writeFile(file, '')
    let n = 0
    const act = async (): Promise<number> => (n += 1)
    const onError = (id: string): void => void errors.push(id)
    const nowhere = openLocal({ activities: { act }, folder: join(file, 'runs'), onError })
    await expect(nowhere.start(endless, { id: 'endless', args: [] })).rejects.toThrow('ENOTDIR')
    await nowhere.schedule(endless, { id: 'often', every_ms: 5, args: [] })
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(1), { timeout: 10_000 })
    await nowhere.close()
    const before = n
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(n).toBe(before)
    expect(await readFile(file, 'utf8')).toBe('')
  })
})

describe('what goes on for ever', () => {
  test('is begun anew where it failed, and ends when it is cancelled', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let n = 0
    const failing = openLocal({
      activities: {
        act: async () => {
          n += 1
          if (n === 2) throw new Error('no disk')
          return n
        },
      },
      folder,
      onError: (id, error) => void errors.push(`${id}: ${String(error)}`),
    })
    const run = await failing.start(endless, { id: 'endless', args: [], restartOnFailure: true })
    const outcome = run.result().catch((error: unknown) => error)
    while (n < 5) {
      await vi.advanceTimersByTimeAsync(1_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(errors).toEqual(['endless: Error: no disk'])
    await run.cancel()
    await vi.advanceTimersByTimeAsync(1_000)
    vi.useRealTimers()
    expect(await outcome).toMatchObject({ name: 'CancelledFailure' })
  })
})

describe('a schedule', () => {
  test('runs its workflow again and again, also where that fails, until it is taken off', async () => {
    let n = 0
    const acting = openLocal({
      activities: {
        act: async () => {
          n += 1
          if (n === 1) throw new Error('not yet')
          return n
        },
      },
      folder,
      onError: (id, error) => void errors.push(`${id}: ${String(error)}`),
    })
    await acting.schedule(once, { id: 'often', every_ms: 5, args: [] })
    await vi.waitFor(() => expect(n).toBeGreaterThan(2), { timeout: 10_000 })
    expect(errors).toEqual(['often: Error: not yet'])
    await acting.unschedule('often')
    await acting.close()
    const before = n
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(n).toBe(before)
  })
})
