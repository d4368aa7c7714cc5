import fc from 'fast-check'
import { expect, test, vi } from 'vitest'

import { takeTurns, type Asking } from '#snapshots/queries.ts'
import { sized } from '#test/run/sized.ts'

const by = (name: string, of: Partial<Asking> = {}): Asking => ({
  names: new Set([name]),
  began_ms: performance.now(),
  signal: new AbortController().signal,
  ...of,
})

/** A queue whose only slot is taken until `release`, and the order in which the work of accounts ran. */
const heldTurns = (waiting: number, wait_ms = 60_000) => {
  const inTurn = takeTurns(1, { waiting, wait_ms })
  let release = () => {}
  const held = inTurn(by('holder'), () => new Promise<void>((resolve) => (release = resolve)))
  const order: string[] = []
  const ask = (name: string, of: Partial<Asking> = {}) =>
    inTurn(by(name, of), async () => void order.push(name)).then(
      () => 'ran',
      ({ message }: Error) => message,
    )
  const end = () => {
    release()
    return held
  }
  return { ask, order, end }
}

test('a free turn goes to the account that had none for the longest time, whatever the order of requests', async () => {
  const asked = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(asked, async (names) => {
      const { ask, order, end } = heldTurns(100)
      const all = names.map((name) => ask(name))
      await end()
      expect(await Promise.all(all)).toEqual(names.map(() => 'ran'))
      const left = new Map<string, number>()
      for (const name of names) left.set(name, (left.get(name) ?? 0) + 1)
      const served = new Map<string, number>()
      for (const name of order) {
        served.set(name, (served.get(name) ?? 0) + 1)
        left.set(name, (left.get(name) ?? 0) - 1)
        // No account is more than one turn behind another while it waits.
        for (const [other, n] of left)
          if (n > 0) expect((served.get(name) ?? 0) - (served.get(other) ?? 0)).toBeLessThan(2)
      }
    }),
    { numRuns: sized(50, 150, 500) },
  )
})

test('a full queue takes the newest place of the account with most places, and no other', async () => {
  const { ask, order, end } = heldTurns(4)
  const greedy = [ask('greedy'), ask('greedy'), ask('greedy'), ask('greedy')]
  const refused = ask('greedy')
  const modest = ask('modest')
  expect(await refused).toBe('4 queries are waiting already')
  expect(await greedy[3]).toBe('4 queries are waiting already')
  await end()
  expect(await modest).toBe('ran')
  expect(await Promise.all(greedy.slice(0, 3))).toEqual(['ran', 'ran', 'ran'])
  expect(order).toEqual(['greedy', 'modest', 'greedy', 'greedy'])
})

test('a full queue takes no place for an account that would then have the most', async () => {
  const { ask, order, end } = heldTurns(3)
  const asked = [ask('a'), ask('a'), ask('b'), ask('b')]
  await end()
  expect(await Promise.all(asked)).toEqual(['ran', 'ran', 'ran', '3 queries are waiting already'])
  expect(order).toEqual(['a', 'b', 'a'])
})

test('work leaves the queue when its callers have gone, and never runs', async () => {
  const { ask, order, end } = heldTurns(10)
  const leaving = new AbortController()
  const left = ask('a', { signal: leaving.signal })
  const stays = ask('a')
  leaving.abort()
  expect(await left).toBe('every caller has gone')
  expect(await ask('a', { signal: leaving.signal })).toBe('every caller has gone')
  await end()
  expect([await stays, order]).toEqual(['ran', ['a']])
})

test('the wait counts from the request, not from the query', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    const { ask, end } = heldTurns(10, 2_000)
    const began_ms = performance.now()
    await vi.advanceTimersByTimeAsync(1_900)
    const late = ask('a', { began_ms })
    const early = ask('a')
    await vi.advanceTimersByTimeAsync(100)
    expect(await late).toBe('no query could begin within 2000 ms')
    await end()
    expect(await early).toBe('ran')
  } finally {
    vi.useRealTimers()
  }
})
