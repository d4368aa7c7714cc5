import { beforeEach, expect, test } from 'vitest'

import type { Accounts } from '#accounts/accounts.ts'
import { openSharedWindows, type Allowance, type Spend } from '#accounts/shared_windows.ts'
import { machineClock } from '#time.ts'

import { describeOnPostgres } from './stores.ts'

describeOnPostgres(({ open, place }) => {
  let stores: Accounts[]
  let at: number
  let n_names = 0
  const clock = (ahead_us: number) => () => machineClock() + at + ahead_us

  beforeEach(async () => {
    const url = await place()
    stores = [await open(url), await open(url)]
    at = 0
  })

  /** Two nodes whose clocks are two seconds apart. */
  const twoNodes = (): Spend[] => stores.map((accounts, i) => openSharedWindows(accounts, clock(i * 2_000_000)))

  /** The minute of this machine, which is that of its database. */
  const minute = (): number => Math.floor(machineClock() / 60_000_000)

  /** Repeats an observation, under a new name, until it lies within one minute. */
  const withinOneMinute = async <T>(observe: (name: string) => Promise<T>): Promise<T> => {
    for (;;) {
      n_names += 1
      const begun = minute()
      const observed = await observe(`account ${n_names}`)
      if (minute() === begun) return observed
    }
  }

  const spendMany = (spend: Spend | undefined, name: string, n: number, limit: number): Promise<Allowance[]> =>
    Promise.all(
      Array.from({ length: n }, async () => (await spend?.(name, limit)) ?? Promise.reject(new Error('none'))),
    )

  const admitted = (of: Allowance[]) => of.filter(({ isOver }) => !isOver).length

  test('200 simultaneous requests to one node are admitted exactly to the limit', async () => {
    const all = await withinOneMinute((name) => spendMany(twoNodes()[0], name, 200, 60))
    expect(admitted(all)).toBe(60)
    const left = all.filter(({ isOver }) => !isOver).map(({ remaining }) => remaining)
    expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i))
  })

  test.for([60, 600, 6_000])('two nodes admit a limit of %i together, within one percent', async (limit) => {
    const n = await withinOneMinute(async (name) => {
      const both = await Promise.all(twoNodes().map((spend) => spendMany(spend, name, limit, limit)))
      return admitted(both.flat())
    })
    expect(n).toBeLessThanOrEqual(limit)
    expect(n).toBeGreaterThanOrEqual(limit * 0.99)
  })

  test.for([60, 600])('a node that stops early withholds at most one percent of a limit of %i', async (limit) => {
    for (const early of [1, 4, 11, limit - 20]) {
      const n = await withinOneMinute(async (name) => {
        const [one, other] = twoNodes()
        let first = 0
        for (let i = 0; i < early; i++) first += admitted(await spendMany(one, name, 1, limit))
        return first + admitted(await spendMany(other, name, limit + 10, limit))
      })
      expect(n, `${early} requests to the other node`).toBeGreaterThanOrEqual(limit * 0.99)
      expect(n).toBeLessThanOrEqual(limit)
    }
  })

  test('requests that wait at the same moment ask the store once', async () => {
    let n_asked = 0
    const counting = stores[0]?.withPlugin({
      transformQuery: ({ node }) => {
        n_asked += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    if (counting === undefined) throw new Error('there is no store')
    const n = await withinOneMinute(async (name) => {
      n_asked = 0
      expect(admitted(await spendMany(openSharedWindows(counting, clock(0)), name, 50, 60))).toBe(50)
      return n_asked
    })
    expect(n).toBe(1)
  })

  test('a window that is used up costs no query, and ends when it says', async () => {
    const { spend, name, over, further } = await withinOneMinute(async (name) => {
      const [spend] = twoNodes()
      const over = (await spendMany(spend, name, 10, 3)).find(({ isOver }) => isOver)
      const further = [spend?.(name, 3)]
      // Ten minutes of the database pass, and none of the node.
      await stores[0]
        ?.updateTable('rate_windows')
        .set((eb) => ({ begins_at: eb('begins_at', '-', 600_000_000) }))
        .execute()
      further.push(spend?.(name, 3))
      await Promise.all(further.map(async (one) => one))
      return { spend, name, over, further }
    })
    expect(over?.reset_s).toBeGreaterThan(0)
    expect(over?.reset_s).toBeLessThanOrEqual(60)
    for (const one of further) {
      expect(one).not.toBeInstanceOf(Promise)
      expect(one).toMatchObject({ isOver: true })
    }
    at = (over?.reset_s ?? 0) * 1_000_000
    expect(await spend?.(name, 3)).toMatchObject({ isOver: false, remaining: 2 })
  })

  test('a clock that is set back by an hour does not make a window longer', async () => {
    const [spend] = twoNodes()
    const name = await withinOneMinute(async (one) => {
      await spendMany(spend, one, 4, 3)
      return one
    })
    await stores[0]
      ?.updateTable('rate_windows')
      .set((eb) => ({ begins_at: eb('begins_at', '-', 600_000_000) }))
      .execute()
    at = -3_600_000_000
    expect(await spend?.(name, 3)).toMatchObject({ isOver: false, remaining: 2 })
  })

  test('requests of a batch need no query of their own', async () => {
    const [spend] = twoNodes()
    const further = await withinOneMinute(async (name) => {
      await spend?.(name, 6_000)
      const spent = Array.from({ length: 29 }, () => spend?.(name, 6_000))
      await Promise.all(spent.map(async (one) => one))
      return spent
    })
    for (const one of further) expect(one).not.toBeInstanceOf(Promise)
  })

  test('a failed query fails its requests alone', async () => {
    const [spend] = twoNodes()
    await stores[0]?.schema.alterTable('rate_windows').renameTo('away').execute()
    await expect(spend?.('account', 3)).rejects.toThrow()
    await stores[0]?.schema.alterTable('away').renameTo('rate_windows').execute()
    expect(await spend?.('account', 3)).toMatchObject({ isOver: false })
  })
})
