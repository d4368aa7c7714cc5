import { onTestFinished, describe, expect, test } from 'vitest'

import type { NodeCall } from '#sim/evm/node/rpc.ts'
import { createPlan } from '#sim/evm/plan/plan.ts'
import type { TrueTrade } from '#sim/evm/types.ts'
import { openEvmWorld, type EvmWorld } from '#sim/evm/world.ts'
import { anvil } from '#test/run/anvil.ts'
import { sized } from '#test/run/sized.ts'

import { tradesOnChain, type Found } from './read_chain.ts'

const now_s = 1_790_000_000

async function worldOf(seed: number, size: number): Promise<EvmWorld> {
  const world = await openEvmWorld({ seed, size, now_s })
  onTestFinished(world.close)
  return world
}

const lineOf = ({
  tx,
  wallet,
  kind,
  token_sold,
  amount_sold,
  token_bought,
  amount_bought,
}: TrueTrade | Found): string =>
  `${tx} ${wallet} ${kind}: ${amount_sold} ${token_sold} -> ${amount_bought} ${token_bought}`

/** Compares the balances on the chain with those of the ledger. */
async function expectHoldings({ ledger, rpc, addresses }: EvmWorld): Promise<void> {
  const entries = [...ledger.holdings].map(([key, amount]) => ({ key, amount, of: key.split(' ') }))
  const calls = entries.map(({ of: [wallet = '', token = ''] }): NodeCall =>
    token === 'native'
      ? ['eth_getBalance', wallet, 'latest']
      : ['eth_call', { to: token, data: `0x70a08231${wallet.slice(2).padStart(64, '0')}` }, 'latest'],
  )
  const bundler = addresses[1] ?? ''
  const differing: string[] = []
  for (let n = 0; n < calls.length; n += 50) {
    const results = await rpc.batch(calls.slice(n, n + 50))
    for (const [at, result] of results.entries()) {
      const { key, amount } = entries[n + at] ?? { key: '', amount: 0n }
      if (BigInt(String(result)) !== amount && !key.startsWith(bundler))
        differing.push(`${key}: ${String(result)}, ${amount}`)
    }
  }
  expect(entries.length).toBeGreaterThan(100)
  expect(differing).toEqual([])
}

describe.skipIf(anvil === undefined)('the simulated chain of a real node', () => {
  test('has the trades of its ledger: every wallet and both legs in raw units', async () => {
    const world = await worldOf(7, sized(0.1, 0.1, 1))
    const trades = await tradesOnChain(world)
    const known = new Set<string>(world.addresses)
    expect(
      trades
        .filter(({ wallet }) => known.has(wallet))
        .map(lineOf)
        .toSorted(),
    ).toEqual(world.ledger.trades.map(lineOf).toSorted())
    expect(world.ledger.trades.length).toBeGreaterThan(sized(300, 300, 2_500))
    await expectHoldings(world)
  })

  test('is the same for the same seed, and another for another', async () => {
    const [one, again] = [await worldOf(3, 0.05), await worldOf(3, 0.05)]
    expect(again.ledger).toEqual(one.ledger)
    const other = createPlan({ seed: 4, size: 0.05, now_s, ends_s: now_s })
    expect(other.blocks).not.toEqual(one.plan.blocks)
  })

  test('has the ledger of the new fork after a reorganization', async () => {
    const world = await worldOf(5, 0.05)
    const before = world.ledger.trades.map(lineOf)
    for (const depth of [1, 7, 30]) {
      const head = world.head()
      const block = async (number: number): Promise<unknown> =>
        world.rpc.call('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
      const [kept, replaced] = [await block(head - depth), await block(head)]
      await world.reorg(depth)
      expect(world.head()).toBe(head + 1)
      expect(await block(head - depth)).toEqual(kept)
      expect(await block(head)).not.toEqual(replaced)
      await expectHoldings(world)
    }
    expect(world.ledger.trades.map(lineOf)).not.toEqual(before)
    const known = new Set<string>(world.addresses)
    const trades = (await tradesOnChain(world)).filter(({ wallet }) => known.has(wallet))
    expect(trades.map(lineOf).toSorted()).toEqual(world.ledger.trades.map(lineOf).toSorted())
  })
})
