import { describe, expect, test } from 'vitest'

import { chainFacts, type ChainEntry } from '#scripts/chains/agree.ts'
import { opWrapped } from '#scripts/chains/list_readers.ts'
import type { PublicList } from '#scripts/chains/public_lists.ts'
import { unpegged } from '#scripts/chains/unpegged.ts'

const address = (digit: string): string => `0x${digit.repeat(40)}`
const chain: ChainEntry = { id: 7, symbol: 'ABC', isOpStack: false, explorer: null }
const list = (name: string, claims: Partial<PublicList>): PublicList => ({
  name,
  package: name,
  version: '1.0.0',
  licence: 'MIT',
  wrapped: [],
  tokens: [],
  dollars: [],
  explorers: [],
  ...claims,
})
const coin = (digit: string, symbol?: string) => ({ chain_id: 7, address: address(digit), symbol })
const dollar = (digit: string, symbol = 'USDC', decimals = 6) => ({ ...coin(digit, symbol), decimals })

const factsOf = (lists: readonly PublicList[], entry = chain) => chainFacts([entry], lists)[0]
const wrappedOf = (lists: readonly PublicList[], entry = chain) => factsOf(lists, entry)?.wrapped
const dollarsOf = (lists: readonly PublicList[], entry = chain) =>
  factsOf(lists, entry)?.dollars?.map((token) => `${token.symbol} ${token.address.slice(2, 3)} ${token.decimals}`)

describe('the wrapped coin', () => {
  const a = list('a', { wrapped: [coin('1', 'WABC')] })
  const b = list('b', { wrapped: [coin('1')] })

  test('is the one that two lists name, by table or by symbol', () => {
    expect(wrappedOf([a, b])).toEqual({ address: address('1'), lists: ['a', 'b'] })
    expect(wrappedOf([a, list('c', { tokens: [dollar('1', 'wabc', 18)] })])?.lists).toEqual(['a', 'c'])
  })

  test('is unknown by one list, by symbols only, and where as many lists name another', () => {
    expect(wrappedOf([a])).toBeUndefined()
    const tokens = [dollar('1', 'WABC', 18)]
    expect(wrappedOf([list('c', { tokens }), list('d', { tokens })])).toBeUndefined()
    const others = ['c', 'd'].map((name) => list(name, { wrapped: [coin('2', 'WABC')] }))
    expect(wrappedOf([a, b, ...others])).toBeUndefined()
    expect(wrappedOf([a, b, ...others.slice(1)])?.address).toBe(address('1'))
  })

  test('is never that of a chain with another native coin', () => {
    const foreign = ['c', 'd'].map((name) => list(name, { wrapped: [coin('3', 'WETH')] }))
    expect(wrappedOf(foreign)).toBeUndefined()
    expect(wrappedOf(['c', 'd'].map((name) => list(name, { wrapped: [coin('3')] })))).toBeUndefined()
    expect(wrappedOf(foreign, { ...chain, symbol: 'ETH' })?.address).toBe(address('3'))
    expect(
      wrappedOf(
        ['c', 'd'].map((name) => list(name, { wrapped: [coin('3', 'WMATIC')] })),
        { ...chain, symbol: 'POL' },
      ),
    ).toBeDefined()
  })

  test('of the OP stack needs one list, and ether', () => {
    const ether = { ...chain, symbol: 'ETH' }
    expect(wrappedOf([list('a', { wrapped: [{ chain_id: 7, address: opWrapped }] })], ether)?.lists).toEqual([
      'a',
      'op-stack',
    ])
    expect(wrappedOf([], { ...ether, isOpStack: true })).toBeUndefined()
    expect(wrappedOf([], { ...chain, isOpStack: true })).toBeUndefined()
  })
})

describe('a dollar', () => {
  const both = (...tokens: ReturnType<typeof dollar>[]) => ['a', 'b'].map((name) => list(name, { tokens }))

  test('is a token that two lists name, the one of most lists first', () => {
    const more = [list('c', { dollars: [coin('2')] }), list('d', { tokens: [dollar('3')] })]
    expect(dollarsOf([...both(dollar('1', 'DAI', 18), dollar('2', 'USDT')), ...more])).toEqual(['USDT 2 6', 'DAI 1 18'])
  })

  test('has the decimals of most lists, and none where as many name others', () => {
    expect(dollarsOf([...both(dollar('1', 'USDC', 18)), list('c', { tokens: [dollar('1', 'USDC', 6)] })])).toEqual([
      'USDC 1 18',
    ])
    expect(
      dollarsOf([list('a', { tokens: [dollar('1')] }), list('b', { tokens: [dollar('1', 'USDC', 18)] })]),
    ).toBeUndefined()
  })

  test('is no token of another symbol, not the wrapped coin or the native one, and has not lost its peg', () => {
    expect(dollarsOf(both(dollar('1', 'USDX')))).toBeUndefined()
    expect(dollarsOf(both(dollar('1', 'USDC')), { ...chain, symbol: 'USDC' })).toBeUndefined()
    const wrapped = ['a', 'b'].map((name) =>
      list(name, { wrapped: [coin('1', 'WxDAI')], tokens: [dollar('1', 'WXDAI', 18)] }),
    )
    expect(factsOf(wrapped, { ...chain, symbol: 'XDAI' })).toEqual({
      id: 7,
      wrapped: { address: address('1'), lists: ['a', 'b'] },
    })
    const [lost = { id: 0, address: '' }] = unpegged
    const tokens = [{ ...dollar('1'), chain_id: lost.id, address: lost.address }]
    expect(dollarsOf([list('a', { tokens }), list('b', { tokens })], { ...chain, id: lost.id })).toBeUndefined()
  })

  test('is no address of zeros, and nothing that is no address', () => {
    expect(dollarsOf(both(dollar('0')))).toBeUndefined()
    const tokens = [{ ...dollar('1'), address: 'native' }]
    expect(dollarsOf([list('a', { tokens }), list('b', { tokens })])).toBeUndefined()
  })
})

test('the explorer is that of viem if a list has its host, else the host of most lists', () => {
  const at = (...urls: string[]) => urls.map((url, n) => list(`l${n}`, { explorers: [{ chain_id: 7, url }] }))
  const viem = { ...chain, explorer: 'https://scan.example/' }
  expect(
    factsOf(at('https://www.scan.example/tx/_s_', 'https://b.example', 'https://b.example'), viem)?.explorer,
  ).toEqual({
    url: 'https://scan.example',
    lists: ['l0', 'viem'],
  })
  expect(factsOf(at('https://b.example', 'https://b.example/x'), viem)?.explorer?.url).toBe('https://b.example')
  expect(factsOf(at('https://b.example'), viem)).toBeUndefined()
  expect(factsOf(at('http://b.example', 'http://b.example'))).toBeUndefined()
})
