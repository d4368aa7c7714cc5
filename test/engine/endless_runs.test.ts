import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { proxyActivities, sleep } from '#engine'
import { openLocal } from '#engine/embedded_client.ts'
import { eventually } from '#test/run/eventually.ts'

type Doing = { act: () => Promise<number> }
const { act } = proxyActivities<Doing>({ startToCloseTimeout: 60_000, retry: { maximumAttempts: 1 } })

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
const errors: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapeline-runs-'))
  file = join(folder, 'runs.db')
  errors.length = 0
})
afterEach(() => rm(folder, { recursive: true, force: true }))

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
