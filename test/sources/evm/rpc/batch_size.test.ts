import { expect, test } from 'vitest'

import { headerCall } from '#sources/evm/rpc/blocks.ts'

import { chainOf } from './fake_chain.ts'
import { readerOf, type Behaviour } from './fake_node.ts'

const chain = chainOf(Array.from({ length: 20 }, () => 0))

/** Sends calls in batches to a node. Returns the answered blocks and the sizes of its requests, in their order. */
async function sizesOf(n_calls: number, behaviour: Behaviour) {
  const { rpc, seen } = readerOf(chain, [behaviour])
  const blocks = Array.from({ length: n_calls }, (_, n) => n % chain.length)
  const found = await rpc.at((node) => node.batch(blocks.map(headerCall)))
  expect(found.map((header) => header?.block)).toEqual(blocks)
  // The first request asks the id of the chain.
  return (seen[0] ?? []).slice(1).map(({ length }) => length)
}

/** A rate limit of the batches in some of the requests. */
const limited = (from: number, to: number) => (nth: number) =>
  nth >= from && nth < to ? ('rate limit' as const) : undefined

test('a batch is halved by a rate limit, grows slowly once it has passed, and is then as large as before', async () => {
  const sizes = await sizesOf(1_500, { fault: limited(2, 5) })
  expect(sizes.slice(0, 8)).toEqual([20, 10, 5, 3, 2, 5, 10, 3])
  expect(sizes.slice(-10, -1)).toEqual(Array(9).fill(20))
  const grown = sizes.slice(7)
  const steps = grown.slice(1, -1).map((size, n) => size - (grown[n] ?? 0))
  expect(new Set(steps)).toEqual(new Set([0, 1]))
})

test('a batch of one call grows again', async () => {
  const { rpc, seen } = readerOf(chain, [{ fault: limited(2, 6) }])
  const calls = Array.from({ length: 3_000 }, (_, n) => headerCall(n % chain.length))
  await rpc.at((node) => node.batch(calls))
  const sizes = (seen[0] ?? []).map(({ length }) => length)
  expect(sizes.slice(1, 6)).toEqual([20, 10, 5, 3, 2])
  expect(sizes.at(-2)).toBe(20)
})

test('a batch stays below the size that an endpoint refuses, which is tried again once in a hundred batches', async () => {
  const sizes = await sizesOf(2_000, { maxBatch: 7 })
  expect(sizes.slice(0, 4)).toEqual([20, 10, 5, 5])
  const later = sizes.slice(3)
  expect(Math.max(...later)).toBe(10)
  expect(later.filter((size) => size > 5).length).toBeLessThanOrEqual(later.length / 100)
})

test('a rate limit does not raise the size that an endpoint accepts', async () => {
  const sizes = await sizesOf(900, { maxBatch: 12, fault: limited(3, 5) })
  expect(sizes.slice(0, 4)).toEqual([20, 10, 5, 3])
  expect(sizes.slice(-11, -1)).toEqual(Array(10).fill(10))
  expect(Math.max(...sizes.slice(1))).toBe(10)
})

test('a rate limit that counts the calls of a batch refuses few of them', async () => {
  const { rpc, seen } = readerOf(chain, [
    { fault: (nth) => ((seen[0]?.[nth - 1]?.length ?? 0) > 10 ? 'rate limit' : undefined) },
  ])
  const calls = Array.from({ length: 3_000 }, (_, n) => headerCall(n % chain.length))
  await rpc.at((node) => node.batch(calls))
  const sizes = (seen[0] ?? []).map(({ length }) => length)
  const refused = sizes.filter((size) => size > 10)
  expect(refused.length / sizes.length).toBeLessThan(0.05)
})
