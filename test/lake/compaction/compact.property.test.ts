import fc from 'fast-check'
import { expect, test } from 'vitest'

import { vacuum } from '#lake/compaction/vacuum.ts'
import type { Lake } from '#lake/lake.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { newLake } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'

import {
  beside,
  compact,
  day,
  hour,
  hourAt,
  instantAt,
  keysTogether,
  life,
  minute,
  over,
  seen,
  start,
  store,
  watched,
  type Seen,
} from './compacted.ts'

/** Hours of two days, instants of two hours, and lives of one folder. */
const units: Unit[] = [
  ...[0, 1, 24, 25].map((n) => hourAt(start + n * hour)),
  ...[0, 5, 55, 60, 65].map((n) => instantAt(start + n * minute)),
  ...keysTogether(9).map(life),
]

type Stored = { version: bigint; n_rows: number; state: 'done' | 'head' }
type Model = Map<Unit, Stored>
type Step =
  | ({ kind: 'store'; unit: Unit; crash: number } & Stored)
  | { kind: 'compact'; now: number; crash: number; maxFiles: number }
  | { kind: 'collect'; crash: number }

const dies = fc.oneof(
  { weight: 2, arbitrary: fc.constant(Infinity) },
  { weight: 1, arbitrary: fc.integer({ max: 40, min: 1 }) },
)
const stored: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('store' as const),
  unit: fc.constantFrom(...units),
  version: fc.bigInt({ min: 1n, max: 3n }),
  n_rows: fc.nat(2),
  state: fc.constantFrom('done' as const, 'done' as const, 'head' as const),
  crash: dies,
})
const compacted: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('compact' as const),
  now: fc.constantFrom(start + hour, start + 2 * day, start + 60 * day),
  crash: dies,
  maxFiles: fc.constantFrom(1, 100),
})
const collected: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('collect' as const), crash: dies })
const steps = fc.array(
  fc.oneof({ weight: 3, arbitrary: stored }, { weight: 3, arbitrary: compacted }, { weight: 2, arbitrary: collected }),
  { minLength: 6, maxLength: 14 },
)

const rowsOf = (of: Stored | undefined): string | undefined =>
  of === undefined || of.n_rows === 0 ? undefined : `${of.version} x ${of.n_rows}`
const entryOf = (of: Stored | undefined): string | undefined => of && `${of.state} ${of.n_rows}`

const byUnit = (model: Model, what: (of: Stored) => string | undefined): Seen => {
  const expected: Seen = {}
  for (const [unit, of] of model) {
    const shown = what(of)
    if (shown !== undefined) expected[unitPath(unit)] = shown
  }
  return expected
}

const expectSeen = async (lake: Lake, model: Model): Promise<void> => {
  expect(await seen(lake)).toEqual({ rows: byUnit(model, rowsOf), coverage: byUnit(model, entryOf) })
}

class Killed extends Error {}

/** The lake as a process sees it that dies at its nth call of the storage, before or after what it asks for is done. */
function mortal(lake: Lake, n: number): Lake {
  let left = n
  return over(
    lake,
    watched(lake.storage, {
      before: () => {
        left -= 0.5
        if (left <= 0) throw new Killed()
      },
      after: () => {
        left -= 0.5
        if (left <= 0) throw new Killed()
      },
    }),
  )
}

const unlessKilled = (error: unknown): void => {
  if (!(error instanceof Killed)) throw error
}

test('whatever is stored, joined, collected and killed, a reader sees each unit as it was stored last', async () => {
  const base = await newLake()
  const run = async (script: readonly Step[]): Promise<void> => {
    const lake = await beside(base)
    const model: Model = new Map(units.map((unit) => [unit, { version: 1n, n_rows: 1, state: 'done' }]))
    for (const [unit, of] of model) await store(lake, unit, of)
    let collectedAt = start + 60 * day
    for (const step of script) {
      const own = mortal(lake, step.kind === 'store' ? step.crash / 2 : step.crash * 1.5)
      if (step.kind === 'compact') {
        await compact(own, { now: step.now, maxFiles: step.maxFiles }).catch(unlessKilled)
      } else if (step.kind === 'collect') {
        collectedAt += day / 2
        await vacuum(own, { now: collectedAt, keep_ms: 86_400_000 }).catch(unlessKilled)
      } else {
        await storeOrDie({ lake, own, model }, step)
      }
      await expectSeen(lake, model)
    }
    while (!(await compact(lake)).isFinished);
    for (const days of [1, 2, 3]) await vacuum(lake, { now: collectedAt + days * day, keep_ms: 86_400_000 })
    await expectSeen(lake, model)
  }
  await fc.assert(fc.asyncProperty(steps, run), { numRuns: sized(4, 15), endOnFailure: true })
})

/** Stores a unit; when it is killed in between, the rows are old or new, coverage vouches for no others, and it is done again. */
async function storeOrDie(
  { lake, own, model }: { lake: Lake; own: Lake; model: Model },
  { unit, version, n_rows, state }: Step & { kind: 'store' },
): Promise<void> {
  const before = model.get(unit)
  const after: Stored = { version, n_rows, state }
  let isKilled = false
  await store(own, unit, after).catch((error: unknown) => {
    unlessKilled(error)
    isKilled = true
  })
  model.set(unit, after)
  if (!isKilled) return
  const { rows, coverage } = await seen(lake)
  const path = unitPath(unit)
  expect([rowsOf(before), rowsOf(after)]).toContain(rows[path])
  expect([entryOf(before), entryOf(after)]).toContain(coverage[path])
  if (coverage[path] !== entryOf(before)) expect(rows[path]).toBe(rowsOf(after))
  const others = { rows: byUnit(model, rowsOf), coverage: byUnit(model, entryOf) }
  for (const each of [rows, coverage, others.rows, others.coverage]) delete each[path]
  expect({ rows, coverage }).toEqual(others)
  await store(lake, unit, after)
}

test('whatever the order in which stores, compactors, gc and readers come to their turn, none sees a wrong row', async () => {
  const base = await newLake()
  const run = async (
    s: fc.Scheduler,
    late: readonly (readonly [number, number])[],
    isJoinedBefore: boolean,
  ): Promise<void> => {
    const plain = await beside(base)
    const missing = units[1]
    for (const unit of units) if (unit !== missing) await store(plain, unit, { version: 1n, n_rows: 1 })
    if (isJoinedBefore) await compact(plain, { now: start + 2 * day })
    // Each call of the storage waits for its turn, which the scheduler gives.
    const turn = (): Promise<void> => s.schedule(Promise.resolve(), 'turn')
    const lake = over(plain, watched(plain.storage, { before: turn, after: turn }))
    // A compactor takes a hundred turns before it comes to some of these, and who stores takes ten.
    const afterTurns = async (n: number, work: () => Promise<unknown>): Promise<void> => {
      for (let left = n; left > 0; left--) await turn()
      await work()
    }
    const delays = new Map([[1, 30], ...late])
    const stored = [...delays.keys()].flatMap((n) => units[n] ?? [])
    const old: Model = new Map(
      units.filter((unit) => unit !== missing).map((unit) => [unit, { version: 1n, n_rows: 1, state: 'done' }]),
    )
    const fresh = (n: number): Stored => ({ version: 2n, n_rows: n % 3, state: 'done' })
    const looks: Awaited<ReturnType<typeof seen>>[] = []
    const look = async (): Promise<void> => {
      for (let n = 0; n < 3; n++) looks.push(await seen(lake))
    }
    const now = start + 60 * day
    await s.waitFor(
      Promise.all([
        compact(lake),
        compact(lake, { now: start + 2 * day }),
        vacuum(lake, { now, keep_ms: 86_400_000 }),
        ...stored.map((unit, n) => afterTurns([...delays.values()][n] ?? 0, () => store(lake, unit, fresh(n)))),
        look(),
        look(),
      ]),
    )
    const end: Model = new Map(old)
    for (const [n, unit] of stored.entries()) end.set(unit, fresh(n))
    for (const { rows, coverage } of looks) {
      for (const unit of units) {
        const path = unitPath(unit)
        expect([rowsOf(old.get(unit)), rowsOf(end.get(unit))]).toContain(rows[path])
        expect([entryOf(old.get(unit)), entryOf(end.get(unit))]).toContain(coverage[path])
      }
    }
    await expectSeen(plain, end)
    while (!(await compact(plain)).isFinished);
    for (const days of [1, 2, 3]) await vacuum(plain, { now: now + days * day, keep_ms: 86_400_000 })
    await expectSeen(plain, end)
  }
  const late = fc.array(fc.tuple(fc.nat(units.length - 1), fc.nat(120)), { minLength: 1, maxLength: 6 })
  await fc.assert(fc.asyncProperty(fc.scheduler(), late, fc.boolean(), run), {
    numRuns: sized(3, 6),
    endOnFailure: true,
  })
})
