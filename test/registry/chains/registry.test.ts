import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { findChain, nearestSlugs, rpcVariable, UnknownChain } from '#registry/chains/find_chain.ts'
import { overrides } from '#registry/chains/overrides.ts'
import { chains } from '#registry/chains/registry.ts'
import { viemTable } from '#scripts/chains/viem_table.ts'

const evm = chains.filter(({ kind }) => kind === 'evm')

describe('the registry', () => {
  test('has the chains of viem as its table has them', async () => {
    const file = resolve(import.meta.dirname, '..', '..', '..', 'registry', 'chains', 'viem.ndjson')
    expect(await readFile(file, 'utf8')).toBe(viemTable())
  })

  test('has at least 250 EVM chains, and Solana', () => {
    expect(evm.length).toBeGreaterThanOrEqual(250)
    expect(chains.filter(({ kind }) => kind === 'solana').map(({ slug }) => slug)).toEqual(['solana'])
  })

  test('has each slug, id and setting once', () => {
    for (const values of [
      chains.map(({ slug }) => slug),
      evm.map(({ id }) => id),
      chains.map((chain) => rpcVariable(chain)),
    ]) {
      expect(new Set<unknown>(values).size).toBe(values.length)
    }
    for (const { slug } of chains) expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  })

  test('has a public https endpoint of every chain', () => {
    for (const { slug, urls } of chains) {
      expect(urls, slug).not.toEqual([])
      for (const url of urls) expect(new URL(url), slug).toMatchObject({ protocol: 'https:' })
    }
    expect(evm.flatMap(({ urls }) => urls).filter((url) => /localhost|127\.0\.0\.1|\[::1\]/.test(url))).toEqual([])
  })

  test.each(['ethereum', 'base', 'arbitrum', 'polygon', 'optimism', 'bsc', 'avalanche', 'gnosis', 'zksync', 'linea'])(
    'knows the wrapped coin, the dollars and the pace of %s',
    (slug) => {
      const chain = findChain(slug)
      expect(chain.wrapped).toMatch(/^0x[0-9a-f]{40}$/)
      expect(chain.stables.length).toBeGreaterThan(0)
      for (const token of chain.stables) expect(token).toMatch(/^0x[0-9a-f]{40}$/)
      expect(chain.multicall3).toMatch(/^0x[0-9a-f]{40}$/)
      expect(chain.block_ms).toBeGreaterThan(0)
    },
  )

  test('counts blocks as final after a minute and 30 blocks at least', () => {
    for (const { slug, finality, block_ms } of evm) {
      expect(finality, slug).toBeGreaterThanOrEqual(30)
      expect(finality * (block_ms ?? 60_000), slug).toBeGreaterThanOrEqual(60_000)
    }
  })

  test('has no override without a chain', () => {
    const ids = new Set(evm.map(({ id }) => id))
    const unused = Object.entries(overrides).filter(
      ([id, { dropped }]) => ids.has(Number(id)) === (dropped !== undefined),
    )
    expect(unused).toEqual([])
  })
})

describe('finding a chain', () => {
  test.each([
    ['mainnet', 'ethereum'],
    ['ethereum', 'ethereum'],
    ['1', 'ethereum'],
    ['8453', 'base'],
    ['basePreconf', 'base'],
    ['BSC', 'bsc'],
    ['zkSync', 'zksync'],
    ['klaytn', 'kaia'],
    ['arbitrumNova', 'arbitrum-nova'],
    ['solana', 'solana'],
    // The export `gravity` of viem is the alpha network; the slug of the later one wins.
    ['gravity', 'gravity'],
  ])('%s is %s', (text, slug) => {
    expect(findChain(text).slug).toBe(slug)
  })

  test('names the three nearest of an unknown chain', () => {
    expect(() => findChain('etherium')).toThrow(
      'chain etherium: unknown; expected a slug, a chain id or a name of viem, such as ethereum, eteria, ethernity',
    )
    expect(nearestSlugs('polgon')[0]).toBe('polygon')
    expect(nearestSlugs('arbitrm')[0]).toBe('arbitrum')
  })

  test('finds every chain by each of its names, and answers any text', () => {
    for (const chain of chains) {
      expect(findChain(chain.slug)).toBe(chain)
      if (chain.id !== null) expect(findChain(String(chain.id))).toBe(chain)
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(chains).toContain(findChain(text))
        } catch (error) {
          expect(error).toBeInstanceOf(UnknownChain)
          expect((error as UnknownChain).nearest).toHaveLength(3)
        }
      }),
      { numRuns: 50 },
    )
  })
})
