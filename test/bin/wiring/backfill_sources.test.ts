import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'

import type { Activities } from '#activities/index.ts'
import { backfillSources, type BackfillOptions, type Outcome } from '#bin/wiring/backfill_sources.ts'
import { activityCancelled, startWorkflow } from '#engine/embedded_workflow.ts'
import { AlreadyRunning, NotRunning, ProcessKilled, type Engine, type Run } from '#engine/engine.ts'
import type { Unit } from '#lake/units/unit.ts'
import { eventually } from '#test/run/eventually.ts'

const unit = (source: string): Unit => ({
  source,
  kind: 'history',
  part: 'venue',
  key: '0xa',
  from: 0,
  to: null,
  params: [],
})
const request = (source: string) => ({ source, from: 1, to: 2, keys: [] })

const unservedQueue = async () => null
const find: Engine['find'] = async (id) => {
  throw new NotRunning(id, [])
}

type Faults = { plan?: string; pull?: string; hang?: string }

/** Runs backfills of one unit each; `begun` holds the names of the runs in the order of their start. */
function engineOf({ plan, pull, hang }: Faults = {}): { engine: BackfillOptions['engine']; begun: string[] } {
  const begun: string[] = []
  const activities: Pick<Activities, 'instant' | 'plan' | 'pull'> = {
    instant: async () => 2,
    plan: async ({ source }) => {
      // An error of this name is not retried.
      if (source === plan) throw Object.assign(new Error('no such table'), { name: 'UnknownSource' })
      return { units: [unit(source)], last: 'z', due: 1 }
    },
    pull: async ({ units: [one] }) => {
      if (one?.source === hang) await untilCancelled()
      const isFailed = one?.source === pull
      const failures = isFailed ? [{ unit: 'venue/0xa', reason: 'answered 500' }] : []
      return { units: isFailed ? 0 : 1, rows: 5, quarantined: 0, bytes: 1, failed: failures.length, failures }
    },
  }
  const start = async (
    workflow: (...args: never[]) => Promise<unknown>,
    { id, args }: { id: string; args: never[] },
  ) => {
    begun.push(id)
    const handle = startWorkflow(workflow, { args, activities })
    handle.result.catch(() => undefined)
    return {
      id,
      isOld: false,
      result: () => handle.result,
      query: async (asked: { name: string }) => handle.query(asked),
      signal: async () => undefined,
      cancel: async () => handle.cancel(),
    }
  }
  return { engine: { start: start as unknown as Engine['start'], find, unservedQueue }, begun }
}

const untilCancelled = (): Promise<never> =>
  new Promise((_, reject) => {
    activityCancelled()?.addEventListener('abort', () => reject(new Error('cancelled')), { once: true })
  })

const lines: string[] = []

beforeEach(() => {
  lines.length = 0
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  onTestFinished(() => spy.mockRestore())
})

const optionsOf = (engine: BackfillOptions['engine'], given: Partial<BackfillOptions> = {}): BackfillOptions => ({
  engine,
  requests: () => 0,
  signal: new AbortController().signal,
  ...given,
})

const states = (outcomes: Outcome[]) =>
  outcomes.map((outcome) =>
    'progress' in outcome ? [outcome.source, outcome.progress.failed] : Object.values(outcome),
  )

describe('several sources', () => {
  const requests = ['markets', 'trades', 'activity'].map(request)

  test('are read one after the other, each with its step and its own requests', async () => {
    const { engine, begun } = engineOf()
    let n = 0
    const outcomes = await backfillSources(requests, optionsOf(engine, { requests: () => (n += 1) }))
    expect(begun).toEqual(['backfill-markets', 'backfill-trades', 'backfill-activity'])
    expect(states(outcomes)).toEqual([
      ['markets', 0],
      ['trades', 0],
      ['activity', 0],
    ])
    expect(lines.map((line) => line.split(' rows,')[0])).toEqual([
      '[1/3] markets: 1 of 1 units, 5',
      '[2/3] trades: 1 of 1 units, 5',
      '[3/3] activity: 1 of 1 units, 5',
    ])
    for (const line of lines) expect(line).toContain(', 1 requests')
  })

  test('wait for what each of them needs, whose failure ends the command', async () => {
    const { engine, begun } = engineOf()
    const before = async (source: string): Promise<void> => {
      if (source === 'activity') throw new Error(`${begun.length} read; no node`)
    }
    await expect(backfillSources(requests, optionsOf(engine, { before }))).rejects.toThrow('2 read; no node')
    expect(begun).toEqual(['backfill-markets', 'backfill-trades'])
  })

  test('continue after a source with failed units, and after a source that failed as a whole', async () => {
    const { engine, begun } = engineOf({ pull: 'markets', plan: 'trades' })
    const outcomes = await backfillSources(requests, optionsOf(engine))
    expect(begun).toHaveLength(3)
    expect(states(outcomes)).toEqual([
      ['markets', 1],
      ['trades', 'no such table'],
      ['activity', 0],
    ])
  })

  test('end with ^C, which cancels the run', async () => {
    const { engine, begun } = engineOf({ hang: 'trades' })
    const stop = new AbortController()
    const done = backfillSources(requests, optionsOf(engine, { signal: stop.signal }))
    done.catch(() => undefined)
    await eventually(() => expect(begun).toHaveLength(2))
    stop.abort()
    await expect(done).rejects.toThrow('trades: cancelled after 0 of 1 units; the same command continues it')
    await expect(done).rejects.toHaveProperty('name', 'Interrupted')
    expect(begun).toHaveLength(2)
  })

  test('on a server ^C ends the view, and the run continues', async () => {
    const { engine, begun } = engineOf({ hang: 'trades' })
    const stop = new AbortController()
    const done = backfillSources(requests, optionsOf(engine, { signal: stop.signal, requests: undefined }))
    done.catch(() => undefined)
    await eventually(() => expect(begun).toHaveLength(2))
    stop.abort()
    await expect(done).rejects.toThrow('backfill-trades still runs')
    expect(begun).toHaveLength(2)
  })
})

describe('a run of the same name', () => {
  const running = { ...request('trades'), isPaused: false, units: 0, failed: 0, rows: 0, due: 1, failures: [] }
  const joining = (state: object | null, given: object = {}) => {
    const run: Partial<Run<unknown>> = {
      id: 'backfill-trades',
      isOld: true,
      query: async () => state as never,
      result: async () => ({ ...running, units: 1 }),
    }
    const start = async () => run
    return backfillSources(
      [{ ...request('trades'), ...given }],
      optionsOf({ start: start as unknown as Engine['start'], find, unservedQueue }),
    )
  }

  test('is joined where it has the same interval, or ends at an earlier now', async () => {
    expect(states(await joining(running))).toEqual([['trades', 0]])
    expect(states(await joining({ ...running, to: 1, isUntilNow: true }, { isUntilNow: true }))).toEqual([
      ['trades', 0],
    ])
    expect(lines.filter((line) => line.includes('already running'))).toEqual([
      'backfill-trades: already running, until 1970-01-01 00:00:00.000002; this shows its progress\n',
      'backfill-trades: already running, until 1970-01-01 00:00:00.000001; this shows its progress\n',
    ])
  })

  test.each([
    ['another start', { ...running, from: 0 }, true],
    ['another end', { ...running, to: 1 }, false],
    ['an end that was asked for', { ...running, to: 1 }, true],
    ['no end that was asked for', { ...running, to: 1, isUntilNow: true }, false],
    ['other units', { ...running, keys: ['0xb'] }, true],
    ['another part', { ...running, part: 'base' }, true],
    ['no progress', null, true],
  ])('is refused where it has %s', async (_name, state, isUntilNow) => {
    await expect(joining(state, { isUntilNow })).rejects.toThrow('already running over another interval')
  })

  describe('in another process of the home', () => {
    const attached = 'backfill-trades: already running, until 1970-01-01 00:00:00.000002; this shows its progress\n'
    const attaching = (result: Run<unknown>['result'], given: Partial<BackfillOptions> = {}) => {
      const run: Partial<Run<unknown>> = {
        id: 'backfill-trades',
        isOld: true,
        query: async () => running as never,
        result,
      }
      const start = async (_workflow: unknown, { id }: { id: string }) => {
        throw new AlreadyRunning(id)
      }
      const engine = { start: start as Engine['start'], find: async () => run as Run<unknown>, unservedQueue }
      return backfillSources([request('trades')], optionsOf(engine, { requests: () => 7, ...given }))
    }

    test('is shown until its end, with its outcome, and is recorded there alone', async () => {
      const around = vi.fn<NonNullable<BackfillOptions['around']>>()
      expect(states(await attaching(async () => ({ ...running, units: 1, failed: 2 }), { around }))).toEqual([
        ['trades', 2],
      ])
      expect(around).not.toHaveBeenCalled()
      expect(lines).toContain(attached)
      const failure = () => Promise.reject(new Error('killed'))
      expect(states(await attaching(failure))).toEqual([['trades', 'killed']])
      const cancelled = () => Promise.reject(Object.assign(new Error('cancelled'), { name: 'CancelledFailure' }))
      await expect(attaching(cancelled)).rejects.toThrow('trades: cancelled; the same command continues it')
    })

    test('is begun here once that process is killed, and shown once another one has taken it', async () => {
      const { engine, begun } = engineOf()
      const first: Partial<Run<unknown>> = {
        id: 'backfill-trades',
        isOld: true,
        query: async () => running as never,
        result: vi
          .fn<Run<unknown>['result']>()
          .mockResolvedValue({ ...running, units: 7 })
          .mockRejectedValueOnce(new ProcessKilled('backfill-trades')),
      }
      const taken = { ...first, isOld: false, result: () => Promise.reject(new AlreadyRunning('backfill-trades')) }
      const start = vi
        .fn<() => Promise<unknown>>()
        .mockRejectedValueOnce(new AlreadyRunning('backfill-trades'))
        .mockResolvedValueOnce(taken)
        .mockRejectedValueOnce(new AlreadyRunning('backfill-trades'))
      const both = { ...engine, start: start as Engine['start'], find: async () => first as Run<unknown> }
      const [outcome] = await backfillSources([request('trades')], optionsOf(both))
      expect(outcome).toMatchObject({ progress: { units: 7 } })
      expect(start).toHaveBeenCalledTimes(3)
      expect(begun).toEqual([])
      expect(lines.filter((line) => !line.includes('rows'))).toEqual([
        attached,
        'trades: the process that read it was killed or stopped; this one continues it\n',
        attached,
      ])
    })

    test('continues after ^C, which ends the view', async () => {
      const stop = new AbortController()
      const done = attaching(() => new Promise(() => undefined), { signal: stop.signal })
      done.catch(() => undefined)
      await eventually(() => expect(lines).toContain(attached))
      stop.abort()
      await expect(done).rejects.toThrow('backfill-trades still runs')
    })
  })
})
