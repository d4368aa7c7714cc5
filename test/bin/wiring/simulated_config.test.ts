import { expect, test } from 'vitest'

import { simulatedConfig } from '#bin/wiring/simulated_config.ts'
import { parseConfig } from '#config.ts'
import { chains } from '#registry/chains/registry.ts'
import { endpointsOf } from '#sources/evm/rpc/endpoints.ts'

const world = { worldName: 'seed-1', hosts: { polymarket_data: 'http://127.0.0.1:9000' } }
const nodes = { RPC_ETHEREUM: 'http://127.0.0.1:9001', RPC_BASE: 'http://127.0.0.1:9002/base' }
const urls = Object.values({ ...world.hosts, ...nodes })

test('a simulated world names its own hosts and nodes alone, whatever the environment names', () => {
  const real = parseConfig({
    TAPELINE_CHAINS: 'ethereum,polygon',
    RPC_BASE: 'https://base.example/key',
    RPC_OPTIMISM: 'https://optimism.example',
    TAPELINE_HOME: '/home/tapeline',
  })
  const own = simulatedConfig(real, world, nodes)
  expect(new Set(Object.values(own.hosts).map(({ url }) => url))).toEqual(new Set(urls))
  expect(new Set(Object.values(own.hosts).map((host) => host.world))).toEqual(new Set(['seed-1']))
  // The API asks these nodes for balances.
  const asked = chains.flatMap((chain) => endpointsOf(chain, own).map(({ url }) => [chain.slug, url]))
  expect(asked).toEqual([
    ['base', nodes.RPC_BASE],
    ['ethereum', nodes.RPC_ETHEREUM],
  ])
  expect(own.home).toBe('/home/tapeline')
})

test('a simulated world is read by the sources of its hosts and chains alone', () => {
  const own = simulatedConfig(parseConfig({}), world, nodes)
  const parts = new Map(own.sources.map((source) => [source.name, source.parts.map(({ name }) => name)]))
  expect(parts.get('evm_swaps')).toEqual(['base', 'ethereum'])
  expect(parts.get('evm_tokens')).toEqual(['base', 'ethereum'])
  expect(parts.get('evm_traces')).toEqual(['base', 'ethereum'])
  expect(parts.get('evm_addresses')).toEqual(['base', 'ethereum'])
  expect(parts.get('evm_balances')).toEqual(['base', 'ethereum'])
  expect(parts.has('polymarket_trades')).toBe(true)
  expect([...parts.keys()].filter((name) => /^(kalshi|news|bluesky)/.test(name))).toEqual([])
  const polygon = simulatedConfig(parseConfig({}), world, { ...nodes, RPC_POLYGON: 'http://127.0.0.1:9003' })
  const named = polygon.sources.flatMap(({ name, parts }) => parts.map((part) => `${name} ${part.name}`))
  expect(named).toContain('evm_swaps polygon')
  expect(named.filter((name) => name.startsWith('polymarket_chain'))).toEqual([])
  const without = simulatedConfig(parseConfig({ TAPELINE_CHAINS: 'ethereum' }), world, {})
  expect(without.sources.filter(({ name }) => name.startsWith('evm'))).toEqual([])
  expect(chains.flatMap((chain) => endpointsOf(chain, without))).toEqual([])
})
