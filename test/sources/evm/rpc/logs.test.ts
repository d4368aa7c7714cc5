import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import type { LogsReading } from '#sources/evm/rpc/logs.ts'
import { ChainFault } from '#sources/evm/rpc/rpc.ts'
import { sized } from '#test/run/sized.ts'

import { chainOf, swap, truth, wanted } from './fake_chain.ts'
import { readerOf, type Behaviour, type Fault } from './fake_node.ts'
import { readProved } from './proved_logs.ts'

const places = ({ logs }: LogsReading): string[] => logs.map(({ block, log_index }) => `${block}/${log_index}`)

const chain = chainOf(Array.from({ length: 120 }, (_, n) => (n * 7) % 5))
const range = { from: 10, to: 110 }
const expected = truth(chain, range)

const read = (behaviours: readonly Behaviour[]) => {
  const reader = readerOf(chain, behaviours)
  return { ...reader, reading: readProved(reader.rpc, wanted, range) }
}

/** The ranges of the `eth_getLogs` of a node, as `from-to`. */
const ranges = (seen: ReturnType<typeof readerOf>['seen'][number] | undefined): [number, number][] =>
  (seen ?? []).flat().flatMap(({ method, params }) => {
    const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock?: string; toBlock?: string }
    return method === 'eth_getLogs' && fromBlock !== undefined ? [[Number(fromBlock), Number(toBlock)]] : []
  })

describe('logs of a range', () => {
  test('are all wanted logs, in order, with the headers of their blocks', async () => {
    const { reading, seen } = read([{}])
    const found = await reading
    expect(places(found)).toEqual(expected)
    expect(found.unproved).toEqual([])
    expect([...found.headers.keys()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n + 10))
    expect(ranges(seen[0])).toEqual([[10, 109]])
    expect(found.logs[0]).toMatchObject({ block_hash: found.headers.get(found.logs[0]?.block ?? 0)?.hash })
  })

  test.each<[string, Behaviour, number]>([
    ['a named limit', { maxRange: 17, rangeError: (n) => `up to a ${n} block range` }, 17],
    ['a suggested range', { maxRange: 16, rangeError: () => 'this block range should work: [0xa, 0x19]' }, 16],
    ['a limit without a number', { maxRange: 13 }, 13],
    ['a limit of logs', { maxLogs: 20 }, 100],
  ])('are read in ranges that tile the asked one under %s', async (_, behaviour, most) => {
    const { reading, seen } = read([behaviour])
    expect(places(await reading)).toEqual(expected)
    const answered = ranges(seen[0]).filter(([from, to]) => to - from + 1 <= most)
    let next = range.from
    for (const [from, to] of answered) if (from === next) next = to + 1
    expect(next).toBe(range.to)
    // A refusal is not repeated for every step.
    expect(seen[0]?.length).toBeLessThan(70)
  })

  test('come from the receipts of a block that is too large by itself', async () => {
    expect(places(await read([{ maxLogs: 2 }]).reading)).toEqual(expected)
  })

  test('are asked with fewer topics where a node accepts few', async () => {
    const reader = readerOf(chain, [{}])
    reader.memory.stateOf(reader.hosts[0]?.name ?? '').topics = 1
    expect(places(await readProved(reader.rpc, wanted, range))).toEqual(expected)
    expect(ranges(reader.seen[0])).toHaveLength(2)
    expect(places(await readProved(reader.rpc, { topics: [swap] }, range))).toEqual(
      truth(chain, range, { topics: [swap] }),
    )
  })

  test('fit batches of any size', async () => {
    const { reading, memory, hosts } = read([{ maxBatch: 3 }])
    expect(places(await reading)).toEqual(expected)
    expect(memory.stateOf(hosts[0]?.name ?? '').batches.size()).toBeLessThanOrEqual(3)
  })

  test.each<NonNullable<Behaviour['batchAnswer']>>(['status 400', 'status 405', 'error', 'object'])(
    'are asked singly where a node serves no batches: %s',
    async (batchAnswer) => {
      const { reading, memory, hosts } = read([{ batchAnswer }])
      expect(places(await reading)).toEqual(expected)
      expect(memory.stateOf(hosts[0]?.name ?? '').batches.size()).toBe(1)
    },
  )

  test.each<NonNullable<Behaviour['lie']>>(['duplicate', 'other fork', 'null block', 'outside'])(
    'are asked elsewhere where an answer is wrong: %s',
    async (lie) => {
      const { reading, seen } = read([{ lie }, {}])
      const found = await reading
      expect(places(found)).toEqual(expected)
      expect(found.unproved).toEqual([])
      expect(seen[1]?.length).toBeGreaterThan(0)
    },
  )

  test.each<[string, Behaviour]>([
    ['a node that lags', { lag: 50 }],
    ['another chain', { chainId: 137 }],
  ])('are asked elsewhere: %s', async (_, behaviour) => {
    expect(places(await read([behaviour, {}]).reading)).toEqual(expected)
    await expect(read([behaviour]).reading).rejects.toThrow(ChainFault)
  })

  test.each<Fault>(['down', 'html', 'truncated', '429', '500', 'rate limit', 'no reply', '403', '429 later'])(
    'survive a fault of some answers: %s',
    async (fault) => {
      expect(places(await read([{ fault: (n) => (n % 3 === 0 ? fault : undefined) }, {}]).reading)).toEqual(expected)
    },
  )

  test('in any order are sorted', async () => {
    expect(places(await read([{ lie: 'shuffled' }]).reading)).toEqual(expected)
  })

  test('are named by block where nothing proves them', async () => {
    const { unproved, logs } = await read([{ lie: 'empty', isPoor: true }]).reading
    expect(logs).toEqual([])
    expect(unproved).toEqual([...new Set(expected.map((place) => Number(place.split('/')[0])))])
  })

  test('are those of the receipts where every node leaves them out of ranges', async () => {
    const found = await read([{ lie: 'empty' }]).reading
    expect(places(found)).toEqual(expected)
    expect(found.unproved).toEqual([])
  })
})

const faults: readonly Fault[] = ['down', 'html', 'truncated', '429', '429 later', '500', 'rate limit', 'no reply']
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })
const given = (entries: object): object =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined))

const limited = fc
  .record({
    maxRange: maybe(fc.integer({ min: 1, max: 40 })),
    maxLogs: maybe(fc.integer({ min: 1, max: 30 })),
    maxBatch: maybe(fc.integer({ min: 1, max: 10 })),
  })
  .map((limits): Behaviour => given(limits))
const misbehaving = fc
  .record({
    limits: limited,
    chainId: maybe(fc.constantFrom(1, 10)),
    lag: maybe(fc.integer({ min: 0, max: 30 })),
    isPoor: fc.boolean(),
    lie: maybe(fc.constantFrom('empty', 'duplicate', 'other fork', 'null block', 'outside', 'shuffled')),
    lies: maybe(fc.integer({ min: 1, max: 4 })),
    faulty: fc.array(fc.option(fc.constantFrom(...faults), { freq: 2 }), { maxLength: 12 }),
  })
  .map(({ limits, faulty, ...rest }): Behaviour => ({
    ...limits,
    ...given(rest),
    fault: (nth) => faulty[nth % Math.max(1, faulty.length)] ?? undefined,
  }))
const world = fc.record({
  counts: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 2, maxLength: 80 }),
  nodes: fc.array(misbehaving, { minLength: 1, maxLength: 3 }),
  bounds: fc.tuple(fc.nat(80), fc.nat(80)),
})

const rangeIn = (n_blocks: number, [a, b]: readonly [number, number]) => {
  const [from, last] = [a % n_blocks, b % n_blocks].toSorted((x, y) => x - y) as [number, number]
  return { from, to: last + 1 }
}

test('whatever the limits, faults and lies, the logs are the true ones or the range is reported', async () => {
  let n_whole = 0
  await fc.assert(
    fc.asyncProperty(world, async ({ counts, nodes, bounds }) => {
      const own = chainOf(counts)
      const asked = rangeIn(counts.length, bounds)
      const { rpc } = readerOf(own, nodes)
      const found = await readProved(rpc, wanted, asked).catch((error: unknown) => {
        expect(error).toBeInstanceOf(ChainFault)
      })
      if (found === undefined || found.unproved.length > 0) return
      n_whole += 1
      expect(places(found)).toEqual(truth(own, asked))
    }),
    { numRuns: sized(200, 800, 3_000) },
  )
  expect(n_whole).toBeGreaterThan(0)
})

test('with one honest endpoint behind them, the logs are the true ones', async () => {
  await fc.assert(
    fc.asyncProperty(world, limited, async ({ counts, nodes, bounds }, honest) => {
      const own = chainOf(counts)
      const asked = rangeIn(counts.length, bounds)
      const { rpc } = readerOf(own, [...nodes, honest])
      const found = await readProved(rpc, wanted, asked)
      expect(found.unproved).toEqual([])
      expect(places(found)).toEqual(truth(own, asked))
    }),
    { numRuns: sized(200, 800, 3_000) },
  )
})
