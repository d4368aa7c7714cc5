import { describe, expect, test } from 'vitest'

import { keepBodies, type BodyKeeper, type KeptBody } from '#lake/units/spilled_bodies.ts'
import { newLake } from '#test/lake/fixture.ts'

const wide = 'x'.repeat(500)
/** Ids that are equal only after a conversion, or that no text of DuckDB has. */
const odd = ['', '"', '\u0000', '\ud800', '\ud801', '�', 'é', 'é', 'A', 'a']
const keyOf = (n: number): string => (n % 5 === 0 ? (odd[(n / 5) % odd.length] ?? '') : `id ${(n * 7_919) % 3_000}`)
const bodyOf = (n: number) => ({ n, id: keyOf(n), price: 0.1 + n, none: null, wide })
const some = (n: number) => Array.from({ length: n }, (_, place) => ({ key: keyOf(place), body: bodyOf(place) }))

async function keepPages(keeper: BodyKeeper, n: number): Promise<void> {
  const bodies = some(n)
  for (let start = 0; start < n; start += 100) await keeper.keep(bodies.slice(start, start + 100))
}

async function allOf(keeper: BodyKeeper): Promise<KeptBody[]> {
  const all: KeptBody[] = []
  for await (const part of keeper.byKey()) all.push(...part)
  return all
}

const keeperOf = async (onSpill = () => undefined): Promise<BodyKeeper> => keepBodies(await newLake(), onSpill)

describe('rows that are parsed later', () => {
  test.each([
    [150, 0],
    [7_150, 3],
  ])('are given back by their keys: %i of them', async (n, least) => {
    let n_spills = 0
    const keeper = await keeperOf(() => void (n_spills += 1))
    await keepPages(keeper, n)
    const all = await allOf(keeper)
    await keeper.close()
    expect(n_spills >= least && (least > 0 || n_spills === 0)).toBe(true)
    expect(all.toSorted((a, b) => a.place - b.place).map(({ body }) => body)).toEqual(some(n).map(({ body }) => body))
    const places = new Map<string, number[]>()
    for (const { place } of all) places.set(keyOf(place), [...(places.get(keyOf(place)) ?? []), place])
    // All rows of a key follow each other, in their order.
    expect(all.map(({ place }) => place)).toEqual([...places.values()].flat())
    expect([...places.values()].every((own) => own.every((place, i) => place > (own[i - 1] ?? -1)))).toBe(true)
  })

  test('are dropped and kept anew', async () => {
    const keeper = await keeperOf()
    for (const n of [5_000, 100]) {
      await keepPages(keeper, n)
      await keeper.drop()
      expect(await allOf(keeper)).toEqual([])
    }
    await keepPages(keeper, 4_000)
    expect((await allOf(keeper)).length).toBe(4_000)
    await keeper.close()
  })

  test('are given to nobody after the end of their unit', async () => {
    const keeper = await keeperOf()
    await keepPages(keeper, 5_000)
    const parts = keeper.byKey()
    expect((await parts.next()).done).toBe(false)
    await keeper.close()
    await expect(parts.next()).rejects.toThrow('it has ended; expected an open unit')
    await expect(keeper.keep([])).rejects.toThrow('it has ended; expected an open unit')
  })
})
