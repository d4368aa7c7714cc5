import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { pad, stringToHex, toHex } from 'viem/utils'
import { describe, expect, onTestFinished, test } from 'vitest'

import type { ReadBalances } from '#api/live/balances.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { createBalanceReader } from '#sources/evm/balances/balance_reader.ts'
import type { SnapshotRows } from '#test/api/fixture.ts'
import { startService } from '#test/api/service.ts'
import { anvil, sender, startAnvil, type Anvil } from '#test/run/anvil.ts'

const ethereum = findChain('ethereum')
const [usdc = '', usdt = ''] = ethereum.stables
const weth = ethereum.wrapped ?? ''
const multicall3 = ethereum.multicall3 ?? ''
const pepe = '0x6982508145454ce325ddbe47a25d4ec3d2311933'
const owner = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'

/** A token that answers a call with the word at its storage: the selector, xor the argument. */
const tokenCode = '0x60003560e01c600435185460005260206000f3'

/** The creation code of Multicall3. viem has it in a file that it does not export. */
function multicall3Creation(): string | undefined {
  const viem = createRequire(import.meta.url).resolve('viem/package.json')
  const file = readFileSync(join(viem, '..', 'constants', 'contracts.ts'), 'utf8')
  return /multicall3Bytecode =\s*'(0x[0-9a-f]+)'/.exec(file)?.[1]
}

const setToken = async (
  { rpc }: Anvil,
  token: string,
  { decimals, symbol, balance }: { decimals: number; symbol: string; balance: bigint },
) => {
  const set = (slot: bigint, word: `0x${string}`) => rpc('anvil_setStorageAt', token, toHex(slot), word)
  await rpc('anvil_setCode', token, tokenCode)
  await set(0x313ce567n, pad(toHex(decimals)))
  await set(0x95d89b41n, pad(stringToHex(symbol), { dir: 'right' }))
  await set(BigInt(owner) ^ 0x70a08231n, pad(toHex(balance)))
}

/** Wallets of a real node: ether, two dollars, wrapped ether and a token, with Multicall3 or without. */
const startChain = async (hasMulticall: boolean): Promise<Anvil> => {
  const node = await startAnvil()
  if (hasMulticall) {
    const code = await node.rpc('eth_call', { data: multicall3Creation() }, 'latest')
    expect(String(code).length).toBeGreaterThan(1_000)
    await node.rpc('anvil_setCode', multicall3, code)
  }
  await node.rpc('anvil_setBalance', owner, toHex(2_500_000_000_000_000_000n))
  await setToken(node, usdc, { decimals: 6, symbol: 'USDC', balance: 1_234_567_891n })
  await setToken(node, usdt, { decimals: 6, symbol: 'USDT', balance: 0n })
  await setToken(node, weth, { decimals: 18, symbol: 'WETH', balance: 10n ** 18n })
  await setToken(node, pepe, { decimals: 18, symbol: 'USDC', balance: 2n ** 90n })
  return node
}

const readerOf = (url: string): ReadBalances =>
  createBalanceReader(
    { rpcUrls: { ethereum: [url] }, rpcWorld: 'real' },
    { random: Math.random, now_ms: Date.now, sleep: async (ms, signal) => sleep(ms, undefined, signal && { signal }) },
  )

const serve = async (url: string, rows: SnapshotRows = {}) => {
  const service = await startService({ readBalances: readerOf(url), rows })
  onTestFinished(service.stop)
  return async () => {
    const { status, json, headers } = await service.ask(`/v1/wallet?address=${owner}`)
    service.clock.at += 31_000_000
    return { status, json, coverage: headers['x-coverage'] }
  }
}

const prices = [
  { chain: 'ethereum', contract: 'native', token: 'ETH', usd_per_token: 3_000 },
  { chain: 'ethereum', contract: pepe, token: 'PEPE', usd_per_token: 0.00001 },
]

describe.skipIf(anvil === undefined).each([true, false])('a real node, with Multicall3: %s', (hasMulticall) => {
  test('shows the holdings of an address that was never seen, and each change of them', async () => {
    const node = await startChain(hasMulticall)
    const ask = await serve(node.url, { prices })
    const others = [{ token: 'USDC', amount: 1_234.567891, usd_value: 1_234.57 }]
    expect(await ask()).toEqual({
      status: 200,
      json: {
        address: '0xBBc264c10F54A61607A31B53358a5A87d4B045be',
        chain: 'ethereum',
        tags: [],
        pnl: { realized_30d: 0, realized_all_time: 0, unranked_30d: 0, unranked_all_time: 0 },
        holdings: [{ token: 'ETH', amount: 3.5, usd_value: 10_500 }, ...others],
        behavior_archetype: 'unproven',
      },
      coverage: 'partial; reason="ethereum is not read"',
    })
    await node.rpc('eth_sendTransaction', { from: sender, to: owner, value: toHex(10n ** 18n) })
    await node.mine()
    const { json } = await ask()
    expect(json['holdings']).toEqual([{ token: 'ETH', amount: 4.5, usd_value: 13_500 }, ...others])
  })

  test('shows the tokens that a wallet traded, by the names of the marts', async () => {
    const node = await startChain(hasMulticall)
    const ask = await serve(node.url, {
      chainWallets: [{ address: owner, chain: 'ethereum' }],
      traded: [
        { address: owner, chain: 'ethereum', token: pepe },
        { address: owner, chain: 'ethereum', token: '0x00000000000000000000000000000000000000ff' },
      ],
      prices,
    })
    const { json, coverage } = await ask()
    const amount = Number(2n ** 90n) / 1e18
    expect(json['holdings']).toContainEqual({ token: 'PEPE', amount, usd_value: Math.round(amount / 1_000) / 100 })
    expect(json['holdings']).toHaveLength(3)
    expect(coverage).toBe('complete')
  })
})

test('without a node the holdings are the last known ones, or none, and nothing fails', async () => {
  const ask = await serve('http://127.0.0.1:9', {
    holdings: [{ address: owner, chain: 'ethereum', contract: usdc, token: 'USDC', amount: 2, usd_value: '2' }],
  })
  const { status, json, coverage } = await ask()
  expect([status, json['holdings']]).toEqual([200, [{ token: 'USDC', amount: 2, usd_value: 2 }]])
  expect(coverage).toMatch(
    /^partial; reason="ethereum is not read; holdings are those of 2026-03-01T11:00:00.000Z, no node/,
  )
  const unknown = await serve('http://127.0.0.1:9')
  expect(await unknown()).toMatchObject({ status: 200, json: { holdings: [], pnl: { realized_30d: 0 } } })
})
