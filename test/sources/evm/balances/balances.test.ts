import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { findChain } from '#registry/chains/find_chain.ts'

import { readerOf, tokenNode, type Behaviour, type Contract } from './token_node.ts'

const base = findChain('base')
const usdc = base.stables[0] ?? ''
const wallet = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'
const address = (i: number) => `0x${String(i).padStart(40, 'a')}`
const token = (balance: bigint, decimals = 18, symbol = 'FAKE'): Contract => ({
  is: 'token',
  balance,
  decimals,
  symbol,
})

const read = async (contracts: Record<string, Contract>, ...behaviours: Behaviour[]) => {
  const known = new Map(Object.entries(contracts))
  const nodes = (behaviours.length === 0 ? [{}] : behaviours).map((one) => tokenNode(base, 5n, known, one))
  const reader = readerOf(base, nodes)
  const ask = () => reader({ chain: base, wallet, tokens: ['native', ...known.keys()], within_ms: 60_000 })
  return { ask, seen: nodes.map(({ seen }) => seen) }
}
const coin = { token: 'native', raw: 5n, decimals: 18, symbol: 'ETH' }

describe.each<[string, Behaviour, number]>([
  ['Multicall3', {}, 3],
  ['batches', { hasMulticall: false }, 5],
  ['single calls', { hasMulticall: false, isSingle: true }, 30],
])('through %s', (_, behaviour, most) => {
  test('balances are exact, those of 0 are left out, and a word of a stranger is no symbol', async () => {
    const contracts = {
      [usdc]: token(2n ** 256n - 1n, 6, 'USDC'),
      [address(1)]: token(10n ** 30n, 0, 'USDC'),
      [address(2)]: token(0n),
    }
    const { ask, seen } = await read(contracts, behaviour)
    expect(await ask()).toEqual({
      held: [
        coin,
        { token: usdc, raw: 2n ** 256n - 1n, decimals: 6, symbol: 'USDC' },
        { token: address(1), raw: 10n ** 30n, decimals: 0, symbol: null },
      ],
      unread: [],
    })
    expect(seen[0]?.length).toBeLessThanOrEqual(most)
    const before = seen.flat().flat().length
    await ask()
    // The chain, decimals and symbols are known by now.
    expect(seen.flat().flat().length - before).toBeLessThan(before)
  })

  test('a contract that fails spoils no other', async () => {
    const contracts: Record<string, Contract> = Object.fromEntries(
      Array.from({ length: 60 }, (_one, i) => [address(i), token(BigInt(i) + 1n)]),
    )
    const bad = { 7: 'reverting', 20: 'burner', 33: 'account', 41: 'bomb', 59: 'mute' } as const
    for (const [i, is] of Object.entries(bad)) contracts[address(Number(i))] = { is }
    const { ask } = await read(contracts, behaviour)
    const { held, unread } = await ask()
    expect(held).toHaveLength(56)
    expect(unread).toEqual([7, 20, 33, 41, 59].map(address))
  })
})

test('any balances are read, whatever the contracts, by Multicall3 and by batches alike', async () => {
  const contract: fc.Arbitrary<Contract> = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(fc.bigInt(0n, 2n ** 256n - 1n), fc.nat(255)).map(([raw, n]) => token(raw, n)) },
    fc.constantFrom<Contract>({ is: 'reverting' }, { is: 'burner' }, { is: 'account' }, { is: 'mute' }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(contract, { maxLength: 130 }), async (all) => {
      const contracts = Object.fromEntries(all.map((one, i) => [address(i), one]))
      const expected = all.flatMap((one, i) =>
        one.is === 'token' && one.balance > 0n
          ? [{ token: address(i), raw: one.balance, decimals: one.decimals, symbol: null }]
          : [],
      )
      for (const hasMulticall of [true, false]) {
        const { held, unread } = await (await read(contracts, { hasMulticall })).ask()
        expect(held).toEqual([coin, ...expected])
        expect(unread).toEqual(all.flatMap((one, i) => (one.is === 'token' ? [] : [address(i)])))
      }
    }),
    { numRuns: 25 },
  )
})

describe('a node', () => {
  test.each<[string, Behaviour]>([
    ['that is down', { isDown: true }],
    ['of another chain', { chainId: 1 }],
    ['with garbled results', { isGarbling: true }],
  ])('%s is passed over for the next one', async (_, behaviour) => {
    const { ask } = await read({ [usdc]: token(1n, 6, 'USDC') }, behaviour, {})
    expect((await ask()).held).toHaveLength(2)
  })

  test('that never answers ends the read in its time', async () => {
    const { ask } = await read({}, { isDown: true })
    await expect(ask()).rejects.toThrow('base: no endpoint answered')
    const node = tokenNode(base, 5n, new Map(), { isDown: true })
    const late = readerOf(base, [node, node])({ chain: base, wallet, tokens: ['native'], within_ms: 100 })
    await expect(late).rejects.toThrow('balances of base: no answer within 0.1 s')
  })
})
