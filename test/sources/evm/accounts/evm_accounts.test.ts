import { expect, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { newLake } from '#test/lake/fixture.ts'

import { accountsHouse, request, round, rounds } from './accounts_house.ts'
import { addressOf, type SparseTransaction } from './sparse_chain.ts'
import { chainOf, end, trades } from './trades.ts'

const stretchShape = z.object({
  from: z.coerce.number(),
  to: z.coerce.number(),
  state: z.string(),
  reason_code: z.string().nullable(),
})
const stretchesIn = (lake: Lake, account: string) =>
  lake.read(({ query }) =>
    query(
      `select from_block as from, to_block as to, state, reason_code from lake.coverage
       where key = $account and dataset = 'transactions' order by 1`,
      stretchShape,
      { account },
    ),
  )
const blocksIn = async (lake: Lake): Promise<number[]> =>
  (
    await lake.read(({ query }) =>
      query('select block from lake.transactions order by block', z.object({ block: z.coerce.number() })),
    )
  ).map(({ block }) => block)

const wallet = addressOf('wallet', 1)
const limits = { size: 10_000, most: 20_000 }

test('a requested account is read from its newest stretch to a stretch before its first transaction', async () => {
  // What the account sends to itself is in the logs of both of its parties.
  const toItself = { token: addressOf('token', 1), from: wallet, to: wallet, amount: 3 }
  const mine = [...trades(wallet, 40, [43_000, end]), { block: 77_777, from: wallet, moves: [toItself] }]
  const house = accountsHouse(chainOf([...mine, ...trades(addressOf('wallet', 2), 40, [0, end])]), limits)
  const lake = await newLake()
  await request(house, lake, [wallet])
  expect(await stretchesIn(lake, wallet)).toEqual([{ from: 90_000, to: end, state: 'head', reason_code: null }])
  expect(await rounds(house, house.activities(lake))).toBeGreaterThan(1)
  const first = Math.min(...mine.map(({ block }) => block))
  const start = (Math.floor(first / 10_000) - 1) * 10_000
  const stretches = await stretchesIn(lake, wallet)
  expect(stretches.map(({ from, state }) => [from, state])).toEqual([
    [0, 'done'],
    ...Array.from({ length: 9 - start / 10_000 }, (_, n) => [start + n * 10_000, 'done']),
    [90_000, 'head'],
  ])
  expect(Math.min(...house.asked.map(({ from }) => from))).toBe(start)
  expect(await blocksIn(lake)).toEqual(mine.map(({ block }) => block).toSorted((a, b) => a - b))
})

test('without old states, or for a contract, the history begins with the chain', async () => {
  const mine = trades(wallet, 20, [43_000, end])
  for (const more of [
    { isArchive: false },
    { contracts: [wallet], transactions: mine.map((tx) => ({ ...tx, from: addressOf('router', 0) })) },
  ]) {
    const house = accountsHouse(chainOf(mine, more), limits)
    const lake = await newLake()
    await request(house, lake, [wallet])
    await rounds(house, house.activities(lake))
    expect((await stretchesIn(lake, wallet)).map(({ from, state }) => [from, state])).toEqual([
      ...Array.from({ length: 9 }, (_, n) => [n * 10_000, 'done']),
      [90_000, 'head'],
    ])
    expect(await blocksIn(lake)).toEqual(mine.map(({ block }) => block).toSorted((a, b) => a - b))
  }
})

test('an account that was never used is not read, and leaves nothing in the lake', async () => {
  const house = accountsHouse(chainOf(trades(wallet, 5, [0, end])), limits)
  const lake = await newLake()
  await request(house, lake, [addressOf('nobody', 1)])
  expect(await rounds(house, house.activities(lake))).toBe(0)
  expect(house.asked).toEqual([])
  expect(await stretchesIn(lake, addressOf('nobody', 1))).toEqual([])
})

/** A block of a spammer moves its token to a wallet a hundred times. */
const spam = (to: string, n: number, [from, last]: [number, number]): SparseTransaction[] =>
  Array.from({ length: n }, (_, at) => ({
    block: from + Math.floor((at * (last - from)) / n),
    from: addressOf('spammer', 1),
    moves: [{ token: addressOf('spam', 1), from: addressOf('spammer', 1), to, amount: 1 }],
  }))

test('an account with 100,000 transfers of spam stops at its budget and says so', async () => {
  const most = 20_000
  const mine = trades(wallet, 30, [1_000, end])
  const house = accountsHouse(chainOf([...mine, ...spam(wallet, 100_000, [0, end])]), { size: 10_000, most })
  const lake = await newLake()
  await request(house, lake, [wallet])
  await rounds(house, house.activities(lake))
  const blocks = await blocksIn(lake)
  expect(blocks.length).toBeLessThanOrEqual(most)
  expect(blocks.length).toBeGreaterThan(0.9 * most)
  const stretches = await stretchesIn(lake, wallet)
  const cut = stretches.findIndex(({ reason_code }) => reason_code === 'budget')
  expect(stretches[cut]?.state).toBe('unverified')
  expect(stretches.slice(cut + 1).map(({ state }) => state)).toEqual(['done', 'head'])
  // Two calls for each transaction, two nodes for each range, and the headers: nothing beyond the budget is asked.
  expect(house.n_requests()).toBeLessThan((2 * most + most) / 20 + 400)
  const before = house.n_requests()
  house.wait(10 * 86_400)
  await rounds(house, house.activities(lake))
  expect(house.n_requests() - before).toBeLessThan(10)
})

test('a typical account of a long chain is complete within 7,500 requests', async () => {
  const n_blocks = 20_000_000
  const mine = trades(wallet, 2_000, [0, n_blocks - 1_000])
  const figures: number[] = []
  for (const more of [{ isArchive: false }, { transactions: trades(wallet, 2_000, [12_000_000, n_blocks - 1_000]) }]) {
    const house = accountsHouse(chainOf(mine, { n_blocks, ...more }), { size: 250_000, most: 20_000 })
    const lake = await newLake()
    await request(house, lake, [wallet])
    const n_rounds = await rounds(house, house.activities(lake))
    // A round follows half a minute after another one, or at once after a longer one.
    expect(n_rounds).toBeLessThanOrEqual(7)
    const states = (await stretchesIn(lake, wallet)).map(({ state }) => state)
    expect([...new Set(states)].toSorted()).toEqual(['done', 'head'])
    expect(await blocksIn(lake)).toHaveLength(2_000)
    figures.push(house.n_requests())
  }
  expect(figures[0]).toBeLessThanOrEqual(7_500)
  expect(figures[1]).toBeLessThanOrEqual((figures[0] ?? 0) / 2)
})

test('twenty accounts are read by turns', async () => {
  const accounts = Array.from({ length: 20 }, (_, n) => addressOf('wallet', n))
  const all = accounts.flatMap((account, n) => trades(account, 10 + n, [0, 995_000], n))
  const house = accountsHouse(chainOf(all, { n_blocks: 1_000_000, isArchive: false }), limits)
  const lake = await newLake()
  await request(house, lake, accounts)
  const activities = house.activities(lake)
  for (let n = 1; n <= 5; n++) {
    await round(house, activities)
    const counts = await Promise.all(accounts.map(async (account) => (await stretchesIn(lake, account)).length))
    expect(counts).toEqual(accounts.map(() => 1 + n))
  }
})

test('as the chain grows, an ended stretch is closed, and a request a day later reads the newest one', async () => {
  const mine = trades(wallet, 60, [43_000, 114_000])
  const chain = (n_blocks: number) =>
    chainOf(
      mine.filter(({ block }) => block < n_blocks),
      { n_blocks },
    )
  const lake = await newLake()
  const young = accountsHouse(chain(95_000), limits)
  await request(young, lake, [wallet])
  await rounds(young, young.activities(lake))
  expect((await stretchesIn(lake, wallet)).at(-1)).toMatchObject({ from: 90_000, state: 'head' })
  const before = young.asked.length
  await request(young, lake, [wallet])
  expect(young.asked.length).toBe(before)

  const grown = accountsHouse(chain(115_000), limits)
  grown.wait(86_400)
  expect(await rounds(grown, grown.activities(lake))).toBe(1)
  expect((await stretchesIn(lake, wallet)).slice(-2).map(({ from, state }) => [from, state])).toEqual([
    [90_000, 'done'],
    [100_000, 'done'],
  ])
  await request(grown, lake, [wallet])
  expect((await stretchesIn(lake, wallet)).at(-1)).toMatchObject({ from: 110_000, state: 'head' })
  expect(await blocksIn(lake)).toEqual(mine.map(({ block }) => block).toSorted((a, b) => a - b))
  // The start of the history was found once.
  expect(grown.calls.get('eth_getTransactionCount')).toBeUndefined()
})
