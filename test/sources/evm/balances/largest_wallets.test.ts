import { expect, test } from 'vitest'

import { findChain } from '#registry/chains/find_chain.ts'
import { largestWallets, mostWallets } from '#sources/evm/balances/largest_wallets.ts'
import { newLake, storeRows } from '#test/lake/fixture.ts'
import { DAY } from '#time.ts'

const chain = findChain('base')
const [dollar = ''] = chain.stables
const at = Date.UTC(2026, 10, 20) * 1_000
const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
const pool = address(99_999)

/**
 * A transaction of a wallet so many days ago: the dollars that it pays, the coin that it sends, and whether it is a
 * swap.
 */
type Sent = { wallet: string; days: number; dollars?: number; coin?: bigint; isSwap?: boolean }

async function largestOf(all: readonly Sent[]): Promise<string[]> {
  const lake = await newLake()
  const placed = all.map((one, block) => {
    const place = { chain: 'base', block, tx_index: 0, tx: `0x${block}` }
    return { ...one, place, ts: at - one.days * DAY }
  })
  const nothing = { coin0_index: 0, coin1_index: 1, token0: null, token1: null, sender: null, recipient: null }
  const event = { family: 'uniswap_v2', pool, trader: null, sqrt_price: null, liquidity: null, emitter: null }
  const cost = { nonce: null, is_ok: true, gas_used: null, amount_fee: 0n, amount_l1_fee: null }
  const unit = { kind: 'blocks', part: 'base', key: '', from: 0, to: all.length, params: [] as string[] } as const
  await storeRows(
    lake,
    { ...unit, source: 'evm_swaps' },
    {
      swaps: placed.flatMap(({ place, ts, isSwap = true }) =>
        isSwap ? [{ ...place, ts, log_index: 1, ...nothing, ...event, amount0: 1n, amount1: -1n }] : [],
      ),
      transactions: placed.map(({ place, ts, wallet, coin = 0n }) => {
        return { ...place, ts, sender: wallet, recipient: pool, amount: coin, ...cost }
      }),
      transfers: placed.map(({ place, ts, wallet, dollars = 0 }) => {
        const amount = BigInt(dollars) * 10n ** 6n
        return { ...place, ts, log_index: 0, kind: 'transfer', token: dollar, sender: wallet, recipient: pool, amount }
      }),
      user_operations: [],
    },
    { to: all.length, state: 'done' },
  )
  const info = { chain: 'base', seen_at: at, name: null, symbol: 'USDC', standard: 'erc20' }
  await storeRows(
    lake,
    { ...unit, kind: 'observation', source: 'evm_tokens', from: at, to: at },
    { pools: [], tokens: [{ ...info, token: dollar, decimals: 6 }] },
  )
  return lake.read((reader) => largestWallets(reader, chain, at))
}

test('the largest wallets by dollars and by coins take turns, and who trades no more is left out', async () => {
  const found = await largestOf([
    { wallet: address(1), days: 1, dollars: 500 },
    { wallet: address(1), days: 29, dollars: 500 },
    { wallet: address(2), days: 1, dollars: 900 },
    { wallet: address(3), days: 6, coin: 10n ** 20n },
    { wallet: address(4), days: 6, coin: 10n ** 19n },
    // The last swap is too old, the volume is, or the transaction is no swap.
    { wallet: address(5), days: 8, dollars: 10_000 },
    { wallet: address(6), days: 31, dollars: 10_000 },
    { wallet: address(6), days: 1, dollars: 1 },
    { wallet: address(7), days: 1, dollars: 10_000, isSwap: false },
  ])
  expect(found.slice(0, 4)).toEqual([address(1), address(3), address(2), address(4)])
  expect(found.slice(4)).toEqual([address(6)])
})

test('a chain has at most so many', async () => {
  const all = Array.from({ length: mostWallets + 50 }, (_, n) => ({ wallet: address(n + 1), days: 1, dollars: n + 1 }))
  const found = await largestOf(all)
  expect(found).toEqual(
    all
      .map(({ wallet }) => wallet)
      .toReversed()
      .slice(0, mostWallets),
  )
})
