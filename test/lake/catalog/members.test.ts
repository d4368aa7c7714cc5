import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'

import type { Catalog } from '#lake/catalog/catalog.ts'
import { openMembers, type Members } from '#lake/catalog/members.ts'
import { newLake } from '#test/lake/fixture.ts'

let at_ms: number
/** The change of the database's clock. */
let setBack_ms: number

const leases = ({ db }: Catalog) => db.selectFrom('tapeline_leases').selectAll().execute()

/** A process of a lake. */
function join({ db }: Catalog): Members {
  const catalog = { db, now_ms: async () => at_ms + setBack_ms }
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  const members = openMembers({ catalog, now_ms: () => at_ms, sleep })
  onTestFinished(members.close)
  return members
}

/** Lets time pass, for timers and for the clock that is handed in. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    at_ms += 500
    await vi.advanceTimersByTimeAsync(500)
  }
}

/** The seconds until a process has its number, and the number. */
async function numberOf(members: Members, name = 'venue'): Promise<[seconds: number, n: number]> {
  const begun_ms = at_ms
  let n: number | undefined
  void members.share(name).then((number) => (n = number))
  await vi.advanceTimersByTimeAsync(0)
  while (n === undefined) await pass(500)
  return [(at_ms - begun_ms) / 1_000, n]
}

beforeEach(() => {
  at_ms = Date.UTC(2026, 10, 20)
  setBack_ms = 0
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

describe('the members of a lake', () => {
  test('are counted by name: one alone at once, a second when the first counts both', async () => {
    const { catalog } = await newLake()
    const [first, second] = [join(catalog), join(catalog)]
    expect(await numberOf(first)).toEqual([0, 1])
    const waiting = numberOf(second)
    await pass(3_000)
    expect(first.lastCount('venue')).toBe(2)
    const [seconds, n] = await waiting
    expect(seconds).toBeGreaterThanOrEqual(6)
    expect(n).toBe(2)
    expect(await numberOf(first)).toEqual([0, 2])
    expect(await numberOf(first, 'another')).toEqual([0, 1])
    expect([first.lastCount('another'), second.lastCount('another')]).toEqual([1, 0])
  })

  test('that die are counted until their leases expire, and that end only until then', async () => {
    const { catalog } = await newLake()
    const [first, second] = [join(catalog), join(catalog)]
    const dead = { name: 'member venue dead', owner: 'dead', expires_ms: at_ms + 30_000 }
    await catalog.db.insertInto('tapeline_leases').values(dead).execute()
    expect((await numberOf(first))[1]).toBe(2)
    expect((await numberOf(second))[1]).toBe(3)
    await pass(20_000)
    expect((await numberOf(first))[1]).toBe(2)
    expect(await leases(catalog)).toHaveLength(2)
    await second.close()
    await pass(2_000)
    expect((await numberOf(first))[1]).toBe(1)
    await first.close()
    expect(await leases(catalog)).toEqual([])
  })

  test('take part until a minute after their last use, or to their end', async () => {
    const { catalog } = await newLake()
    const [idle, working] = [join(catalog), join(catalog)]
    working.join('workers')
    await vi.advanceTimersByTimeAsync(0)
    expect((await numberOf(idle))[1]).toBe(1)
    expect((await numberOf(working))[1]).toBe(2)
    for (let n = 0; n < 14; n += 1) {
      await pass(5_000)
      await working.share('venue')
    }
    expect(await numberOf(working)).toEqual([0, 1])
    await pass(70_000)
    expect((await leases(catalog)).map(({ name }) => name.split(' ')[1])).toEqual(['workers'])
    expect(working.lastCount('workers')).toBe(1)
  })

  test.each([-1, 1])(
    'are counted once the clock is set by %i hours, and a dead one no longer than before',
    async (hours) => {
      const { catalog } = await newLake()
      const [first, second] = [join(catalog), join(catalog)]
      await numberOf(first)
      expect((await numberOf(second))[1]).toBe(2)
      const dead = { name: 'member venue dead', owner: 'dead', expires_ms: at_ms + 30_000 }
      await catalog.db.insertInto('tapeline_leases').values(dead).execute()
      setBack_ms = hours * 3_600_000
      await pass(45_000)
      expect([await numberOf(first), await numberOf(second)]).toEqual([
        [0, 2],
        [0, 2],
      ])
    },
  )

  test('that slept past their leases begin anew, since the others went on without them', async () => {
    const { catalog } = await newLake()
    const [first, second] = [join(catalog), join(catalog)]
    await numberOf(first)
    expect((await numberOf(second))[1]).toBe(2)
    const own = (await leases(catalog)).filter(({ name }) => name.startsWith('member venue'))
    expect(own).toHaveLength(2)
    // The process sleeps: its clock jumps, and no timer has run.
    at_ms += 60_000
    await catalog.db.deleteFrom('tapeline_leases').execute()
    const [seconds] = await numberOf(first)
    const [waited, n] = await numberOf(second)
    expect(Math.max(seconds, waited)).toBeGreaterThanOrEqual(6)
    expect(n).toBe(2)
  })

  test('that cannot read the leases have no number', async () => {
    const { catalog } = await newLake()
    const members = join(catalog)
    expect(await numberOf(members)).toEqual([0, 1])
    await catalog.db.schema.dropTable('tapeline_leases').execute()
    await pass(4_000)
    expect(await members.share('venue')).toBe(1)
    await pass(2_000)
    await expect(members.share('venue')).rejects.toThrow('tapeline_leases')
  })
})
