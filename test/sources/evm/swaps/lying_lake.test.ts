import { expect, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { newLake } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'

import { tradesIn, trueTrades } from './held.ts'
import { lying, type Lies } from './lies.ts'
import { runBackfill } from './runs.ts'
import { swapsWorld } from './swaps_world.ts'

const coverageShape = z.object({
  from_block: z.coerce.number(),
  to_block: z.coerce.number(),
  state: z.string(),
  reason_code: z.string().nullable(),
  gaps: z.string().nullable(),
})
const coverageIn = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select from_block, to_block, state, reason_code, gaps from lake.coverage where dataset = 'swaps' order by 1`,
      coverageShape,
    ),
  )

type Replies = { result?: unknown }[]

/** The answers of a node that leaves things out while `isLying`. Its answer to a request is made before. */
function changing(lies: Lies) {
  let [answer, isLying]: [unknown, boolean] = [undefined, true]
  const liar = lying(() => JSON.stringify(answer), lies)
  const change = (honest: unknown, text: string): unknown => {
    answer = honest
    return isLying ? JSON.parse(liar(text)) : honest
  }
  return { change, stop: () => void (isLying = false) }
}

/** An answer whose headers name a hundred transactions more, so that receipts cannot prove their blocks. */
function padded(answer: unknown): unknown {
  const replies = [answer].flat() as Replies
  const all = replies.map(({ result, ...reply }) => {
    const header = result as { transactions?: unknown[] } | null
    if (header?.transactions === undefined) return { ...reply, result }
    return { ...reply, result: { ...header, transactions: [...header.transactions, ...Array(100).fill('0x')] } }
  })
  return Array.isArray(answer) ? all : all[0]
}

const kinds = (['answer', 'block', 'log'] as const).flatMap((of) =>
  [true, false].flatMap((isSticky) => [0.05, 0.2, 0.5].map((share) => ({ of, isSticky, share }))),
)
const all = kinds.map(
  (kind, n) => [`${kind.of}, ${kind.isSticky ? 'sticky' : 'random'}, ${kind.share}`, { ...kind, seed: n }] as const,
)
/** One share of each kind, so that each share meets two kinds. */
const inTurns = all.filter((_, n) => n % 3 === Math.floor(n / 3) % 3)

test.each(sized(all.slice(2, 3), inTurns, all))(
  'both nodes leave out logs, and no trade is lost: %s',
  async (_, lies) => {
    const world = swapsWorld({ head: 150, change: changing(lies).change })
    const lake = await newLake()
    await runBackfill(world, world.activities(lake))
    expect(await tradesIn(lake)).toEqual(trueTrades(world.chain(), world.head()))
    expect((await coverageIn(lake)).map(({ state }) => state)).toEqual(['done', 'head'])
  },
)

test('what no proof covers is unverified, and is read again later', async () => {
  const { change, stop } = changing({ seed: 3, of: 'answer', isSticky: false, share: 0.7 })
  const world = swapsWorld({
    head: 340,
    block_s: 3_600,
    without: 'eth_getBlockReceipts',
    change: (answer, text, node) => padded(node === 0 ? change(answer, text) : answer),
  })
  const lake = await newLake()
  await runBackfill(world, world.activities(lake))
  const stored = new Set((await tradesIn(lake)).map(({ tx }) => tx))
  const missing = trueTrades(world.chain(), world.head()).filter(({ tx }) => !stored.has(tx))
  expect(missing.length).toBeGreaterThan(0)
  const units = await coverageIn(lake)
  for (const { block } of missing) {
    const unit = units.find(({ from_block, to_block }) => block >= from_block && block < to_block)
    expect(unit).toMatchObject({ state: 'unverified', reason_code: 'unproved' })
    expect(unit?.gaps).toMatch(/"text":"blocks? \d+/)
  }
  stop()
  // A unit that is closed and unverified is read again after a day.
  world.grow(25)
  await runBackfill(world, world.activities(lake))
  expect(await tradesIn(lake)).toEqual(trueTrades(world.chain(), world.head()))
  expect((await coverageIn(lake)).map(({ state }) => state)).toEqual(['done', 'done', 'done', 'head'])
})
