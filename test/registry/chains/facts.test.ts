import { isAddress } from 'viem'
import { describe, expect, test } from 'vitest'

import { chainFacts, chainLists } from '#registry/chains/facts.ts'
import { overrides } from '#registry/chains/overrides.ts'
import { chains } from '#registry/chains/registry.ts'
import { unpricedOn } from '#registry/chains/unpriced.ts'

const facts = [...chainFacts.values()]
const byId = new Map(chains.map((chain) => [chain.id, chain]))
/** viem, and the genesis of the OP stack, name facts beside the lists. */
const sources = new Set([...chainLists.map(({ name }) => name), 'viem', 'op-stack'])

describe('the facts of public lists', () => {
  test.each(facts.map((chain) => [chain.id, chain] as const))(
    'of %i are valid, each once, of two lists at least, and of a chain of the registry',
    (id, { wrapped, dollars = [], explorer }) => {
      expect(byId.has(id)).toBe(true)
      const addresses = [...(wrapped === undefined ? [] : [wrapped]), ...dollars].map(({ address }) => address)
      for (const address of addresses) {
        expect(isAddress(address)).toBe(true)
        expect(address).toBe(address.toLowerCase())
      }
      expect(new Set(addresses).size).toBe(addresses.length)
      for (const { decimals } of dollars) expect([2, 6, 8, 18]).toContain(decimals)
      for (const { lists } of [wrapped, ...dollars, explorer].flatMap((fact) => fact ?? [])) {
        expect(new Set(lists).size).toBeGreaterThanOrEqual(2)
        expect(lists.filter((name) => !sources.has(name))).toEqual([])
      }
      if (explorer !== undefined) expect(new URL(explorer.url)).toMatchObject({ protocol: 'https:', pathname: '/' })
    },
  )

  test('name each chain once, and come from packages whose licences permit their use', () => {
    expect(new Set(facts.map(({ id }) => id)).size).toBe(facts.length)
    expect(new Set(chainLists.map(({ package: name }) => name)).size).toBe(chainLists.length)
    const permitted = new Set(['MIT', 'Apache-2.0', 'ISC'])
    expect(chainLists.filter(({ licence }) => !permitted.has(licence))).toEqual([])
  })

  test('complete the registry where no override has them', () => {
    for (const { id, wrapped, dollars, explorer } of facts) {
      const [chain, override] = [byId.get(id), overrides[id]]
      if (wrapped !== undefined) expect(chain?.wrapped, String(id)).toBe(override?.wrapped ?? wrapped.address)
      if (dollars !== undefined)
        expect(chain?.stables, String(id)).toEqual(override?.stables ?? dollars.map(({ address }) => address))
      expect(chain?.explorer, String(id)).toBe(explorer?.url ?? null)
    }
  })

  test('agree with the overrides, which were checked by hand', () => {
    const different = facts.flatMap(({ id, wrapped }) => {
      const { wrapped: checked } = overrides[id] ?? {}
      return wrapped === undefined || checked === undefined || wrapped.address === checked ? [] : [id]
    })
    expect(different).toEqual([])
  })

  test('give at least 105 chains a wrapped coin, 55 a dollar and 250 an explorer', () => {
    expect(chains.filter(({ wrapped }) => wrapped !== null).length).toBeGreaterThanOrEqual(105)
    expect(chains.filter(({ stables }) => stables.length > 0).length).toBeGreaterThanOrEqual(55)
    expect(chains.filter(({ explorer }) => explorer !== null).length).toBeGreaterThanOrEqual(250)
  })
})

test('a chain without a dollar or a wrapped coin says what has no price', () => {
  expect(unpricedOn({ stables: ['0xa'], wrapped: '0xb' })).toBeNull()
  expect(unpricedOn({ stables: ['0xa'], wrapped: null })).toContain('the wrapped coin')
  expect(unpricedOn({ stables: [], wrapped: '0xb' })).toContain('all tokens')
})
