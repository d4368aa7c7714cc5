import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { startChains } from '#bin/demo/demo_chains.ts'
import { chainOfVariable } from '#registry/chains/find_chain.ts'
import { anvil } from '#test/run/anvil.ts'
import { eventually } from '#test/run/eventually.ts'

const now = 1_790_000_000 * 1_000_000
const resultShape = z.object({ result: z.union([z.string(), z.number()]) })

async function ask(url: string, method: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return Number(resultShape.parse(await response.json()).result)
}

/** The last block, or on Solana the last final slot. */
const headsOf = (urls: readonly string[]): Promise<number[]> =>
  Promise.all(urls.map((url) => ask(url, url.endsWith('/solana') ? 'getSlot' : 'eth_blockNumber')))

test('the chains of a demo are nodes of this machine, which stand still until they run and end with the demo', async () => {
  // An hour of the world in half a second.
  const chains = await startChains({ seed: 1, speed: 7_200, now, endsAt: now + 86_400 * 1_000_000 })
  onTestFinished(async () => void (await chains.close()))
  expect(await chains.made).toContain(anvil === undefined ? 'anvil: not installed' : 'ethereum on anvil')
  const named = Object.entries(chains.settings)
  expect(named.map(([name]) => name).toSorted()).toEqual([
    'RPC_ARBITRUM',
    'RPC_BASE',
    'RPC_ETHEREUM',
    'RPC_POLYGON',
    'RPC_SOLANA',
  ])
  for (const [name, url] of named) {
    expect(new URL(url).hostname).toBe('127.0.0.1')
    if (name !== 'RPC_SOLANA') expect([name, await ask(url, 'eth_chainId')]).toEqual([name, chainOfVariable(name)?.id])
  }

  const urls = Object.values(chains.settings)
  const before = await headsOf(urls)
  expect(Math.min(...before)).toBeGreaterThan(390)
  expect(await headsOf(urls)).toEqual(before)
  chains.run()
  await eventually(async () => {
    const after = await headsOf(urls)
    expect(after.filter((head, n) => head <= (before[n] ?? 0))).toEqual([])
  })

  await chains.close()
  await eventually(async () => {
    for (const url of urls) await expect(ask(url, 'eth_chainId')).rejects.toThrow(/fetch failed/)
  })
})
