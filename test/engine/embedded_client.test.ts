import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

import Libsql from 'libsql'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { condition, defineQuery, defineSignal, setHandler } from '#engine'
import { openLocal } from '#engine/embedded_client.ts'
import type { Engine } from '#engine/engine.ts'
import { eventually } from '#test/run/eventually.ts'

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
  here = openLocal({ activities: {}, file, onError })
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

  test('is awaited by others, which get its progress, and its result or its error', async () => {
    const run = await here.start(counting, { id: 'count', args: [3] })
    const seen = await there.find('count')
    expect(seen.isOld).toBe(true)
    expect(await seen.query(progress)).toEqual({ n: 3 })
    const result = seen.result()
    await run.signal(go, 7)
    expect(await result).toBe(10)
    expect(await seen.result()).toBe(10)
    expect(await seen.query(progress)).toBeUndefined()

    const other = await here.start(counting, { id: 'count', args: [0] })
    const failing = (await there.find('count')).result()
    await other.cancel()
    await expect(failing).rejects.toMatchObject({ name: 'CancelledFailure', message: 'the workflow was cancelled' })
    expect(rowsOf('outcomes')).toHaveLength(2)
  })

  test('of a killed process ends for those that await it, with a sentence', async () => {
    await here.start(counting, { id: 'count', args: [0] })
    const result = (await there.find('count')).result()
    // As the next process does that looks for dead ones.
    change('delete from runs')
    await expect(result).rejects.toThrow(
      'count: the process that ran it was killed or stopped; expected the same command again',
    )
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

  test('do not include a process that was stopped: its run is lost to one that began it since, and says so', async () => {
    const stopped = await here.start(counting, { id: 'count', args: [0] })
    const outcome = stopped.result().catch((error: unknown) => error)
    await here.start(counting, { id: 'other', args: [0] })
    const silent = 'update processes set beat_at = beat_at - 3600'
    // Before the stopped process writes again, another one begins the run, also one that has runs already.
    await there.start(counting, { id: 'own', args: [0] })
    change(`${silent} where id = (select process from runs where id = 'count')`)
    const run = await there.start(counting, { id: 'count', args: [5] })
    expect(await outcome).toMatchObject({ name: 'AlreadyRunning' })
    await eventually(async () =>
      expect((await there.list()).map(({ id, progress: of }) => [id, of])).toEqual([
        ['count', { n: 5 }],
        ['other', { n: 0 }],
        ['own', { n: 0 }],
      ]),
    )
    await run.signal(go, 5)
    expect(await run.result()).toBe(10)
  })

  test('do not include a process whose clock jumps, which others await further', async () => {
    const run = await here.start(counting, { id: 'count', args: [0] })
    const seen = await there.find('count')
    change('update processes set beat_at = beat_at - 3600')
    const result = seen.result()
    await eventually(async () => expect(await there.list()).toHaveLength(1))
    await run.signal(go, 10)
    expect(await result).toBe(10)
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
