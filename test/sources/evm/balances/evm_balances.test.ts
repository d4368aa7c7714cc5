import { expect, test } from 'vitest'
import { z } from 'zod'

import { reparse } from '#ingest/reparse.ts'
import type { Lake } from '#lake/lake.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { holdingOf } from '#sim/chains/holdings.ts'
import { tokensOf, tradesOf } from '#sim/chains/simulated_chain.ts'
import { newLake } from '#test/lake/fixture.ts'
import { runBackfill } from '#test/sources/evm/swaps/runs.ts'
import { swapsWorld, type SwapsWorld } from '#test/sources/evm/swaps/swaps_world.ts'

const source = 'evm_balances'
const stranger = `0x${'5'.repeat(40)}`
/** The node names the block that is so far below its head as final, and the registry's depth is larger. */
const finality = findChain('base').finality

const rowShape = z.object({
  address: z.string(),
  token: z.string(),
  block: z.coerce.number(),
  seen_s: z.coerce.number(),
  amount: z.string(),
})
type Row = z.infer<typeof rowShape>

const heldIn = (lake: Lake): Promise<Row[]> =>
  lake.read(({ query }) =>
    query(
      `select address, token, block, epoch_us(seen_at) // 1000000 as seen_s, amount::varchar as amount
       from lake.balances order by block, address, token`,
      rowShape,
    ),
  )

const statesIn = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select state, coalesce(proof, reason) as why from lake.coverage where source = '${source}' order by unit`,
      z.object({ state: z.string(), why: z.string() }),
    ),
  )

/** What the traders of the stored blocks held after a block: the coin, and the tokens that they traded. */
function truthOf(world: SwapsWorld, block: number, isRead: (token: string) => boolean = () => true): Row[] {
  const tokens = new Map<string, Set<string>>()
  for (let n = 0; n <= world.head(); n++)
    for (const { wallet, token_sold, token_bought } of tradesOf(world.chain(), n))
      tokens.set(wallet, (tokens.get(wallet) ?? new Set(['native'])).add(token_sold).add(token_bought))
  const { start_s, block_s } = world.chain()
  return [...tokens]
    .flatMap(([address, all]) =>
      [...all].filter(isRead).map((token) => ({
        address,
        token,
        block,
        seen_s: start_s + block_s * block,
        amount: String(holdingOf(world.chain(), world.head(), { wallet: address, token, block })),
      })),
    )
    .toSorted((a, b) => (`${a.address} ${a.token}` < `${b.address} ${b.token}` ? -1 : 1))
}

/** A lake with the swaps and tokens of a world. */
async function readWorld(options: Parameters<typeof swapsWorld>[0] = {}) {
  const world = swapsWorld({ head: 120, ...options })
  const lake = await newLake()
  const activities = world.activities(lake)
  for (const name of ['evm_swaps', 'evm_tokens'])
    expect(await runBackfill(world, activities, { source: name })).toMatchObject({ failed: 0 })
  return { world, lake, read: () => runBackfill(world, activities, { source }), activities }
}

/** The reply to each call of a request, changed. */
const replyShape = z.looseObject({ result: z.unknown().optional() })
const eachReply = (answer: unknown, change: (result: unknown) => unknown): unknown => {
  const one = (reply: unknown) => {
    const parsed = replyShape.parse(reply)
    return { ...parsed, result: change(parsed.result) }
  }
  return Array.isArray(answer) ? answer.map(one) : one(answer)
}

const callShape = z.object({ params: z.tuple([z.object({ to: z.string(), data: z.string() })]).rest(z.unknown()) })
const askedOf = (call: unknown): string => {
  const { to, data } = callShape.safeParse(call).data?.params[0] ?? { to: '', data: '' }
  return `${to} ${data}`
}

test('each balance of the largest wallets is that of one final block, once a day', async () => {
  const { world, lake, read } = await readWorld()
  const before = world.n_requests()
  expect(await read()).toMatchObject({ units: 1, failed: 0 })
  const block = world.head() - finality
  const truth = truthOf(world, block)
  expect(truth.length).toBeGreaterThan(100)
  expect(truth.some(({ amount }) => amount === '0')).toBe(true)
  expect(await heldIn(lake)).toEqual(truth)
  const n_wallets = new Set(truth.map(({ address }) => address)).size
  const [{ state, why } = { state: '', why: '' }] = await statesIn(lake)
  expect([state, why]).toEqual([
    'done',
    expect.stringMatching(`^${truth.length} balances of ${n_wallets} wallets after block ${block}; the contracts of`),
  ])
  // The head, the final block, the header; then header, state and calls of 100 each.
  expect(world.n_requests() - before).toBeLessThanOrEqual(5 + Math.ceil((2 * truth.length) / 100))

  const again = await reparse(lake, world.balances, () => undefined)
  expect(again).toMatchObject({ units: 1, failed: [] })
  expect(await heldIn(lake)).toEqual(truth)
})

test('a UTC day has one reading, and that of the next day leaves its rows', async () => {
  // 120 blocks end in the morning of a day.
  const { world, lake, read, activities } = await readWorld({ block_s: 600 })
  await read()
  const asked = world.n_requests()
  world.grow(6)
  expect(await read()).toMatchObject({ units: 0 })
  expect(world.n_requests()).toBe(asked)
  world.grow(100)
  expect(await runBackfill(world, activities)).toMatchObject({ failed: 0 })
  expect(await read()).toMatchObject({ units: 1, failed: 0 })
  expect(new Set((await heldIn(lake)).map(({ block }) => block))).toEqual(
    new Set([120 - finality, world.head() - finality]),
  )
})

test('a named wallet is read without a swap of its own, and holds nothing', async () => {
  const { world, lake, read } = await readWorld({ named: stranger.toUpperCase().replace('0X', '0x') })
  await read()
  const own = (await heldIn(lake)).filter(({ address }) => address === stranger)
  expect(own).toMatchObject([{ token: 'native', amount: '0', block: world.head() - finality }])
})

test('wallets of watchlists are read, the longest followed 200, after the named and beside the largest', async () => {
  const addressOf = (n: number): string => `0x${String(n).padStart(40, '0')}`
  const solana = 'So11111111111111111111111111111111111111112'
  const followed = [solana, stranger, ...Array.from({ length: 205 }, (_, n) => addressOf(n))]
  const { world, lake, read } = await readWorld({ named: stranger, followed })
  expect(await read()).toMatchObject({ units: 1, failed: 0 })
  const rows = await heldIn(lake)
  const addresses = new Set(rows.map(({ address }) => address))
  const extra = [stranger, ...followed.slice(2, 202)]
  expect([...addresses].filter((address) => followed.includes(address))).toEqual(extra.toSorted())
  const block = world.head() - finality
  expect(rows.filter(({ address }) => !extra.includes(address))).toEqual(truthOf(world, block))
  expect(rows.find(({ address }) => address === addressOf(0))).toMatchObject({ token: 'native', amount: '0', block })
})

test('more followed wallets than a reading takes are read in turn, the new and the longest unread first', async () => {
  const addressOf = (n: number): string => `0x${String(n).padStart(40, '0')}`
  const followed = Array.from({ length: 250 }, (_, n) => addressOf(n))
  // 120 blocks end in the morning of a day, and 150 are more than a day.
  const { world, lake, read } = await readWorld({ block_s: 600, followed })
  const readNext = async (): Promise<string[]> => {
    expect(await read()).toMatchObject({ units: 1, failed: 0 })
    const block = world.head() - finality
    const ofBlock = (await heldIn(lake)).filter((row) => row.block === block && followed.includes(row.address))
    world.grow(150)
    expect(await runBackfill(world, world.activities(lake))).toMatchObject({ failed: 0 })
    return [...new Set(ofBlock.map(({ address }) => address))]
  }
  expect(await readNext()).toEqual(followed.slice(0, 200))
  followed.push(addressOf(250))
  expect(await readNext()).toEqual([...followed.slice(0, 149), ...followed.slice(200)])
  // 51 of the first reading, then those of the second, the longest followed first.
  expect(await readNext()).toEqual(followed.slice(0, 200))
})

test('a chain without stored swaps has no reading, and asks nothing', async () => {
  const world = swapsWorld({ head: 120, named: stranger })
  const lake = await newLake()
  expect(await runBackfill(world, world.activities(lake), { source })).toMatchObject({ units: 0, failed: 0 })
  expect(world.n_requests()).toBe(0)
})

test.each([
  ['reverts', { error: { code: 3, message: 'execution reverted' } }],
  ['answers with too few bytes', { result: '0x01' }],
])('a token that %s has no balance, and is no zero', async (_, reply) => {
  const [, token = ''] = tokensOf(swapsWorld().chain()).map(({ address }) => address)
  // Without Multicall3 each token is a call of its own.
  const { world, lake, read } = await readWorld({
    change: (answer, text) => {
      if (!text.includes('eth_call')) return answer
      if (text.includes('0x82ad56cb')) return eachReply(answer, () => '0x')
      const asked: unknown = JSON.parse(text)
      const calls = Array.isArray(asked) ? asked : [asked]
      const replies = (Array.isArray(answer) ? answer : [answer]).map((one: unknown, n) => {
        const isOf = askedOf(calls[n]).startsWith(`${token} 0x70a08231`)
        return isOf ? { jsonrpc: '2.0', id: replyShape.parse(calls[n])['id'], ...reply } : one
      })
      return Array.isArray(answer) ? replies : replies[0]
    },
  })
  expect(await read()).toMatchObject({ units: 1, failed: 0 })
  const truth = truthOf(world, world.head() - finality, (one) => one !== token)
  expect(await heldIn(lake)).toEqual(truth)
})

test.each<[string, (answer: unknown, text: string) => unknown]>([
  [
    'with another block of the number',
    (answer, text) =>
      text.includes('eth_getBlockByNumber') && !text.includes('finalized')
        ? eachReply(answer, (result) => ({ ...replyShape.parse(result), hash: `0x${'9'.repeat(64)}` }))
        : answer,
  ],
  [
    'with other bytes than the results of Multicall3',
    (answer, text) => (text.includes('0x82ad56cb') ? eachReply(answer, () => `0x${'ff'.repeat(64)}`) : answer),
  ],
  [
    'without replies',
    (answer, text) => (text.includes('eth_call') || text.includes('eth_getBalance') ? { jsonrpc: '2.0' } : answer),
  ],
])('a node %s is passed over for the next one', async (_, change) => {
  let isLying = false
  const { world, lake, read } = await readWorld({
    change: (answer, text, node) => (isLying && node === 0 ? change(answer, text) : answer),
  })
  isLying = true
  expect(await read()).toMatchObject({ units: 1, failed: 0 })
  expect(await heldIn(lake)).toEqual(truthOf(world, world.head() - finality))
})

test('nodes that refuse batches, of a chain without Multicall3, give the same balances', async () => {
  let isPoor = false
  const refusal = { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'batch requests are not supported' } }
  const { world, lake, read } = await readWorld({
    change: (answer, text) => {
      if (!isPoor) return answer
      if (text.startsWith('[')) return refusal
      return text.includes('0x82ad56cb') ? eachReply(answer, () => '0x') : answer
    },
  })
  isPoor = true
  expect(await read()).toMatchObject({ units: 1, failed: 0 })
  expect(await heldIn(lake)).toEqual(truthOf(world, world.head() - finality))
})

test('faults of the endpoints change nothing', async () => {
  const { world, lake, read } = await readWorld()
  world.setFaults(0.2)
  let failed = 1
  for (let n = 0; n < 20 && failed > 0; n++) ({ failed } = await read())
  expect(failed).toBe(0)
  expect(await heldIn(lake)).toEqual(truthOf(world, world.head() - finality))
})

test('one endpoint with the state of the block is enough; without one the day has no reading', async () => {
  const one = await readWorld({ n_states: [10, Infinity] })
  expect(await one.read()).toMatchObject({ units: 1, failed: 0 })
  expect(await heldIn(one.lake)).toEqual(truthOf(one.world, one.world.head() - finality))

  const none = await readWorld({ n_states: [10, 10] })
  expect(await none.read()).toMatchObject({ units: 1, failed: 0 })
  expect(await heldIn(none.lake)).toEqual([])
  const reason = `no endpoint has the state of block ${none.world.head() - finality}`
  expect(await statesIn(none.lake)).toEqual([{ state: 'unavailable', why: reason }])
  const asked = none.world.n_requests()
  none.world.grow(60)
  expect(await none.read()).toMatchObject({ units: 0 })
  expect(none.world.n_requests()).toBe(asked)
})

test('nodes that fail are a failure, which the next round repairs', async () => {
  let isDown = false
  const { lake, read } = await readWorld({
    change: (answer, text) => (isDown && text.includes('eth_call') ? { jsonrpc: '2.0', id: 0 } : answer),
  })
  isDown = true
  expect(await read()).toMatchObject({ failed: 1 })
  expect(await heldIn(lake)).toEqual([])
  isDown = false
  expect(await read()).toMatchObject({ units: 1, failed: 0 })
  expect((await heldIn(lake)).length).toBeGreaterThan(100)
})
