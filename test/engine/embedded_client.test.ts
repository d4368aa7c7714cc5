import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

import Libsql from 'libsql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { condition, defineQuery, defineSignal, proxyActivities, setHandler, sleep } from '#engine'
import { openLocal } from '#engine/embedded_client.ts'
import type { Engine } from '#engine/engine.ts'
import { eventually } from '#test/run/eventually.ts'

type Doing = { act: () => Promise<number> }
const { act } = proxyActivities<Doing>({ startToCloseTimeout: 60_000, retry: { maximumAttempts: 1 } })

const progress = defineQuery<{ n: number }>('progress')
const go = defineSignal<[by: number]>('go')

/** Adds up its signals until the sum is ten. */
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
let file: string
let here: Engine
let there: Engine
const errors: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapeline-runs-'))
  file = join(folder, 'runs.db')
  errors.length = 0
  const onError = (id: string, error: unknown): void => void errors.push(`${id}: ${String(error)}`)
  here = openLocal({ activities: { act: async () => 1 }, file, onError })
  there = openLocal({ activities: {}, file, onError })
})

afterEach(async () => {
  await there.close()
  await here.close()
  await rm(folder, { recursive: true, force: true })
})

/** The rows of a table of the registry. */
function rowsOf(table: string): unknown[] {
  const database = new Libsql(file)
  try {
    return database.prepare(`select * from ${table}`).all()
  } finally {
    database.close()
  }
}

/** Changes the registry behind the back of the engines. */
function change(sql: string): void {
  const database = new Libsql(file)
  try {
    database.exec(sql)
  } finally {
    database.close()
  }
}

describe('a run of this process', () => {
  test('is seen by others, takes their signals, and is gone once it has ended', async () => {
    const run = await here.start(counting, { id: 'count', args: [3] })
    expect(await there.list()).toEqual([{ id: 'count', workflow: 'counting', progress: { n: 3 } }])
    const seen = await there.find('count')
    await seen.signal(go, 4)
    expect(await run.query(progress)).toEqual({ n: 7 })
    await eventually(async () => expect((await there.list())[0]?.progress).toEqual({ n: 7 }))
    await seen.signal(go, 5)
    expect(await run.result()).toBe(12)
    expect(await there.list()).toEqual([])
    expect(rowsOf('runs')).toEqual([])
    expect(rowsOf('signals')).toEqual([])
    await expect(there.find('count')).rejects.toThrow('run count: not running; expected a run that was started')
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

  test('of another process is not started beside it, also if both begin at once', async () => {
    const outcomes = await Promise.allSettled(
      [here, there].map((engine) => engine.start(counting, { id: 'count', args: [0] })),
    )
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const [first, second] = outcomes[0]?.status === 'fulfilled' ? [here, there] : [there, here]
    await expect(second.start(counting, { id: 'count', args: [1] })).rejects.toThrow(
      'count: already running in another process of this home; expected its end, or `tapeline signal count cancel`',
    )
    expect((await second.list()).map(({ id }) => id)).toEqual(['count'])
    const run = await first.start(counting, { id: 'count', args: [0] })
    expect(run.isOld).toBe(true)
    await run.signal(go, 10)
    expect(await run.result()).toBe(10)
    const after = await second.start(counting, { id: 'count', args: [9] })
    await after.signal(go, 1)
    expect(await after.result()).toBe(10)
  })

  test('that does not exist is an error that names the existing runs', async () => {
    await here.start(counting, { id: 'count', args: [0] })
    await expect(there.find('other')).rejects.toThrow('run other: not running; expected one of count')
  })
})

describe('processes that ended without a goodbye', () => {
  const leave = (id: string, { host, pid }: { host: string; pid: number }, silent_s: number): void =>
    change(`
      insert into processes values ('of ${id}', '${host}', ${pid}, unixepoch('subsec') - ${silent_s});
      insert into runs values ('key of ${id}', 'of ${id}', '${id}', 'w', 'null');
    `)
  const noProcess = 2 ** 30

  test('run nothing: a number may be reused, and on another machine only silence counts', async () => {
    await (await here.start(counting, { id: 'count', args: [10] })).result()
    leave('reused', { host: hostname(), pid: process.ppid }, 120)
    leave('killed', { host: hostname(), pid: noProcess }, 0)
    leave('silent', { host: 'elsewhere', pid: process.ppid }, 120)
    leave('beating', { host: 'elsewhere', pid: noProcess }, 0)
    leave('here', { host: hostname(), pid: process.ppid }, 0)
    expect((await here.list()).map(({ id }) => id).toSorted()).toEqual(['beating', 'here'])
    await expect(here.find('killed')).rejects.toThrow('run killed: not running')
  })

  test('leave no rows once the next process registers a run, and take no id away', async () => {
    await (await here.start(counting, { id: 'count', args: [10] })).result()
    leave('count', { host: hostname(), pid: noProcess }, 0)
    change("insert into signals (run, name, args) values ('key of count', 'cancel', '[]')")
    const run = await there.start(counting, { id: 'count', args: [0] })
    expect(await here.list()).toEqual([{ id: 'count', workflow: 'counting', progress: { n: 0 } }])
    expect(rowsOf('runs')).toHaveLength(1)
    expect(rowsOf('signals')).toEqual([])
    await (await here.find('count')).signal(go, 10)
    expect(await run.result()).toBe(10)
  })

  test('do not include a suspended process, which shows its runs again', async () => {
    await here.start(counting, { id: 'count', args: [0] })
    change('delete from processes; delete from runs')
    await eventually(async () => expect(await there.list()).toHaveLength(1))
    await (await there.find('count')).signal(go, 1)
  })
})

describe('signals', () => {
  test('are applied in the order in which they were sent', async () => {
    const run = await here.start(counting, { id: 'count', args: [0] })
    const seen = await there.find('count')
    await Promise.all([1, 2, 3].map((by) => seen.signal(go, by)))
    expect(await run.query(progress)).toEqual({ n: 6 })
  })

  test('with damaged arguments are removed, and the run continues', async () => {
    const run = await here.start(counting, { id: 'count', args: [0] })
    const [row] = rowsOf('runs') as { key: string }[]
    change(`insert into signals (run, name, args) values ('${row?.key}', 'go', '{')`)
    await (await there.find('count')).signal(go, 10)
    expect(await run.result()).toBe(10)
    expect(rowsOf('signals')).toEqual([])
  })

  test('for a run that ends before it takes them are reported as lost, and removed', async () => {
    const run = await here.start(counting, { id: 'count', args: [0] })
    const seen = await there.find('count')
    await run.signal(go, 10)
    await run.result()
    await expect(seen.signal(go, 1)).rejects.toThrow('run count: not running; expected a run that was started')
    expect(rowsOf('signals')).toEqual([])
  })
})

describe('a damaged file', () => {
  test('is replaced, and the runs of a process that lives are shown again', async () => {
    await writeFile(file, 'no database '.repeat(1_000))
    const run = await here.start(counting, { id: 'count', args: [3] })
    expect(await there.list()).toEqual([{ id: 'count', workflow: 'counting', progress: { n: 3 } }])
    await (await there.find('count')).signal(go, 7)
    expect(await run.result()).toBe(10)
  })

  test('is not made by a process that only looks', async () => {
    expect(await there.list()).toEqual([])
    await expect(there.find('count')).rejects.toThrow('run count: not running; expected a run that was started')
    expect(await readdir(folder)).toEqual([])
  })
})

describe('where no registry can be made', () => {
  test('nothing is started, and a schedule tries again', async () => {
    const taken = join(folder, 'taken')
    await writeFile(taken, '')
    let n = 0
    const act = async (): Promise<number> => (n += 1)
    const onError = (id: string): void => void errors.push(id)
    const nowhere = openLocal({ activities: { act }, file: join(taken, 'runs.db'), onError })
    await expect(nowhere.start(endless, { id: 'endless', args: [] })).rejects.toThrow('EEXIST')
    await nowhere.schedule(endless, { id: 'often', every_ms: 5, args: [] })
    await eventually(() => expect(errors.length).toBeGreaterThan(1))
    await nowhere.close()
    const before = n
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(n).toBe(before)
    expect(await readFile(taken, 'utf8')).toBe('')
  })
})

describe('endless runs', () => {
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
      file,
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
      file,
      onError: (id, error) => void errors.push(`${id}: ${String(error)}`),
    })
    await acting.schedule(once, { id: 'often', every_ms: 5, args: [] })
    await eventually(() => expect(n).toBeGreaterThan(2))
    expect(errors).toEqual(['often: Error: not yet'])
    await acting.unschedule('often')
    await acting.close()
    const before = n
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(n).toBe(before)
  })
})
