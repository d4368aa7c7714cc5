import fc from 'fast-check'
import { expect, test } from 'vitest'

import { ApiError } from '#api/contract/errors.ts'
import { placeFor } from '#api/stream/places.ts'

const caps = { ofTier: { free: 1, pro: 4, enterprise: 6 }, ofAll: 6 }
const caller = (account_id: string, tier: 'free' | 'pro' | 'enterprise' = 'enterprise') => ({ account_id, tier })

/** Opens streams of accounts in order. Returns the accounts of the open ones, and the codes of refusals. */
function openAll(accounts: readonly ReturnType<typeof caller>[]) {
  const open = new Set<{ caller: ReturnType<typeof caller> }>()
  const refusals: string[] = []
  for (const one of accounts)
    try {
      const ended = placeFor(open, one, caps)
      if (ended !== null) open.delete(ended)
      open.add({ caller: one })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      refusals.push(error.code)
    }
  const counts = new Map<string, number>()
  for (const {
    caller: { account_id },
  } of open)
    counts.set(account_id, (counts.get(account_id) ?? 0) + 1)
  return { counts, refusals }
}

test('an account has at most the streams of its tier', () => {
  const { counts, refusals } = openAll([...Array.from({ length: 6 }, () => caller('a', 'pro')), caller('b', 'free')])
  expect(Object.fromEntries(counts)).toEqual({ a: 4, b: 1 })
  expect(refusals).toEqual(['rate_limit_exceeded', 'rate_limit_exceeded'])
})

test('an account that has all places gives some to others, down to a fair share', () => {
  const greedy = Array.from({ length: 6 }, () => caller('greedy'))
  const others = Array.from({ length: 4 }, () => caller('b'))
  const { counts, refusals } = openAll([...greedy, ...others])
  expect(Object.fromEntries(counts)).toEqual({ greedy: 3, b: 3 })
  expect(refusals).toEqual(['not_ready'])
})

test('whoever opens streams, none exceeds a cap, and a refused account has as many as the largest, less one', () => {
  const account = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
  fc.assert(
    fc.property(fc.array(account, { maxLength: 40 }), account, (names, last) => {
      const { counts } = openAll(names.map((name) => caller(name)))
      expect([...counts.values()].reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(caps.ofAll)
      const { refusals } = openAll([...names, last].map((name) => caller(name)))
      const n_before = openAll(names.map((name) => caller(name))).refusals.length
      const isRefused = refusals.length > n_before
      const most = Math.max(0, ...counts.values())
      if (isRefused) expect(counts.get(last) ?? 0).toBeGreaterThanOrEqual(most - 1)
    }),
  )
})
