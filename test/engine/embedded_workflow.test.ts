import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import {
  activityCancelled,
  CancelledFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  proxyActivities,
  setHandler,
  sleep,
  startWorkflow,
} from '#engine'

type Doing = { act: (what: string) => Promise<string> }

const { act } = proxyActivities<Doing>({
  startToCloseTimeout: 60_000,
  retry: {
    initialInterval: 1_000,
    backoffCoefficient: 3,
    maximumInterval: 10_000,
    maximumAttempts: 5,
    nonRetryableErrorTypes: ['Hopeless'],
  },
})

/** An activity that fails as given, attempt by attempt, and notes when it was tried. */
function failing(...failures: (Error | string)[]) {
  const begun_ms = Date.now()
  const tried_s: number[] = []
  const activities: Doing = {
    act: async (what) => {
      const failure = failures[tried_s.length]
      tried_s.push((Date.now() - begun_ms) / 1000)
      if (failure instanceof Error) throw failure
      return `${what} at attempt ${tried_s.length}`
    },
  }
  return { activities, tried_s }
}

const named = (name: string): Error => Object.assign(new Error(`it is ${name}`), { name })

/** The result or the error of a promise after all timers have run. */
async function settle<T>(result: Promise<T>, ms = 3_600_000): Promise<T | Error> {
  const outcome = result.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
  await vi.advanceTimersByTimeAsync(ms)
  return outcome
}

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

describe('an activity', () => {
  test('is tried again after growing pauses, up to the longest', async () => {
    const { activities, tried_s } = failing(named('Odd'), named('Odd'), named('Odd'), named('Odd'))
    const { result } = startWorkflow(() => act('it worked'), { args: [], activities })
    expect(await settle(result)).toBe('it worked at attempt 5')
    // 1, 3, 9 and, instead of 27, 10 seconds.
    expect(tried_s).toEqual([0, 1, 4, 13, 23])
  })

  test('fails with its last error when its attempts are used up', async () => {
    const { activities, tried_s } = failing(...Array.from({ length: 9 }, (_, n) => new Error(`failure ${n}`)))
    const { result } = startWorkflow(() => act('x'), { args: [], activities })
    expect(await settle(result)).toEqual(new Error('failure 4'))
    expect(tried_s).toHaveLength(5)
  })

  test('is not retried after an error of `nonRetryableErrorTypes`', async () => {
    const { activities, tried_s } = failing(named('Odd'), named('Hopeless'))
    const { result } = startWorkflow(() => act('x'), { args: [], activities })
    expect(await settle(result)).toMatchObject({ message: 'it is Hopeless' })
    expect(tried_s).toEqual([0, 1])
  })

  test('by default has no last attempt, and pauses that double up to a hundred times the first', async () => {
    const patient = proxyActivities<Doing>({ startToCloseTimeout: 1_000 })
    const { activities, tried_s } = failing(...Array.from({ length: 10 }, () => named('Odd')))
    const { result } = startWorkflow(() => patient.act('done'), { args: [], activities })
    expect(await settle(result)).toBe('done at attempt 11')
    expect(tried_s).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 227, 327, 427])
  })

  test('that takes too long is cancelled, and tried again once it has', async () => {
    const running: string[] = []
    let attempts = 0
    const activities: Doing = {
      act: async () => {
        attempts += 1
        if (attempts >= 3) return 'in time'
        running.push('begins')
        const ending = activityCancelled()
        await new Promise((_, reject) => ending?.addEventListener('abort', () => reject(new Error('cancelled'))))
          .catch((error: unknown) => new Promise((_, reject) => setTimeout(() => reject(error as Error), 5_000)))
          .finally(() => running.push('ends'))
        return 'never'
      },
    }
    const { result } = startWorkflow(() => act('x'), { args: [], activities })
    expect(await settle(result)).toBe('in time')
    expect(running).toEqual(['begins', 'ends', 'begins', 'ends'])
    attempts = -9
    const slow = startWorkflow(() => act('x'), { args: [], activities })
    expect(await settle(slow.result)).toMatchObject({
      name: 'TimeoutFailure',
      message: 'activity: no result after 60000 ms; expected an earlier result',
    })
  })

  test('that is not registered is an error at once', async () => {
    const { result } = startWorkflow(() => act('x'), { args: [], activities: {} })
    await expect(result).rejects.toThrow('activity act: unknown; expected a registered activity')
  })
})

describe('a workflow', () => {
  const idle: Doing = { act: async (what) => what }

  test('is the only place for its primitives', async () => {
    const outside = 'a workflow primitive was called outside a workflow'
    await expect(act('x')).rejects.toThrow(outside)
    await expect(sleep(1)).rejects.toThrow(outside)
    await expect(condition(() => true)).rejects.toThrow(outside)
    expect(() => setHandler(defineSignal('x'), () => undefined)).toThrow(outside)
  })

  test('answers queries and hears signals while it runs', async () => {
    const add = defineSignal<[number]>('add')
    const total = defineQuery<number>('total')
    const handle = startWorkflow(
      async () => {
        let sum = 0
        setHandler(total, () => sum)
        setHandler(add, (n) => {
          sum += n
        })
        await condition(() => sum >= 10)
        return sum
      },
      { args: [], activities: idle },
    )
    handle.signal(add, 4)
    expect(handle.query(total)).toBe(4)
    await vi.advanceTimersByTimeAsync(10)
    handle.signal(add, 7)
    expect(await settle(handle.result)).toBe(11)
    expect(handle.query(defineQuery('without a handler'))).toBeUndefined()
  })

  test('continues when another branch has made its condition true, whatever that branch did next', async () => {
    const { activities } = failing(named('Hopeless'))
    const ways: (() => Promise<unknown>)[] = [
      () => sleep(5),
      () => act('x').catch(() => undefined),
      () => act('x'),
      async () => [await act('x'), await Promise.resolve(), await Promise.resolve()],
    ]
    for (const way of ways) {
      const workflow = async (): Promise<string> => {
        const state = { isFirst: false, isSecond: false }
        const one = async (): Promise<void> => {
          await way()
          state.isFirst = true
        }
        const two = async (): Promise<void> => {
          await condition(() => state.isFirst)
          state.isSecond = true
        }
        await Promise.all([condition(() => state.isSecond), two(), one()])
        return 'all went on'
      }
      expect(await settle(startWorkflow(workflow, { args: [], activities }).result)).toBe('all went on')
    }
  })

  test('continues as a new run, with new arguments, any number of times', async () => {
    const round = defineQuery<number>('round')
    const old = defineQuery<string>('old')
    const count = async (n: number, last: number): Promise<string> => {
      if (n === 0) setHandler(old, () => 'of the first run')
      setHandler(round, () => n)
      await act('x')
      return n < last ? continueAsNew(n + 1, last) : `run ${n}`
    }
    const handle = startWorkflow(count, { args: [0, 500], activities: idle })
    expect(handle.query(old)).toBe('of the first run')
    expect(await settle(handle.result)).toBe('run 500')
    expect(handle.query(round)).toBe(500)
    expect(handle.query(old)).toBeUndefined()
  })

  test('hands on the error that it ends with', async () => {
    const { result } = startWorkflow(async () => Promise.reject(new Error('no disk')), { args: [], activities: idle })
    await expect(result).rejects.toThrow('no disk')
  })

  test('keeps its context, also beside another one that runs the same code', async () => {
    const what = defineQuery<string>('what')
    const workflow = async (name: string): Promise<string[]> => {
      setHandler(what, () => name)
      const heard: string[] = []
      for (let n = 0; n < 3; n++) {
        await sleep(10)
        heard.push(await act(`${name}${n}`))
      }
      return heard
    }
    const handles = ['a', 'b'].map((name) =>
      startWorkflow(workflow, { args: [name], activities: { act: async (said: string) => `${name} hears ${said}` } }),
    )
    expect(handles.map((handle) => handle.query(what))).toEqual(['a', 'b'])
    expect(await settle(Promise.all(handles.map(({ result }) => result)))).toEqual([
      ['a hears a0', 'a hears a1', 'a hears a2'],
      ['b hears b0', 'b hears b1', 'b hears b2'],
    ])
  })
})

describe('a workflow that is cancelled', () => {
  const never: Doing = { act: async (what) => what }

  test('ends its sleep and its conditions at once', async () => {
    for (const wait of [() => sleep(1e9), () => condition(() => false)]) {
      const handle = startWorkflow(wait, { args: [], activities: never })
      const outcome = handle.result.catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(5)
      handle.cancel()
      await vi.advanceTimersByTimeAsync(0)
      expect(await outcome).toBeInstanceOf(CancelledFailure)
      expect(vi.getTimerCount()).toBe(0)
    }
  })

  test('makes no further attempt, and begins no further activity', async () => {
    const { activities, tried_s } = failing(named('Odd'), named('Odd'))
    const handle = startWorkflow(() => act('x'), { args: [], activities })
    await vi.advanceTimersByTimeAsync(500)
    handle.cancel()
    expect(await settle(handle.result)).toBeInstanceOf(CancelledFailure)
    expect(tried_s).toEqual([0])
  })

  test('waits for the activity that is running', async () => {
    const done: string[] = []
    const activities: Doing = {
      act: async (what) => {
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        done.push(what)
        return what
      },
    }
    const workflow = async (): Promise<void> => {
      await act('first')
      await act('second')
    }
    const handle = startWorkflow(workflow, { args: [], activities })
    await vi.advanceTimersByTimeAsync(10)
    handle.cancel()
    expect(await settle(handle.result)).toBeInstanceOf(CancelledFailure)
    expect(done).toEqual(['first'])
  })
})
