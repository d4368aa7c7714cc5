import { describe, expect, test } from 'vitest'

import { findSource } from '#activities/index.ts'
import { namedUnits } from '#bin/wiring/named_units.ts'
import { sources } from '#sources/index.ts'

const named = (source: string, text: string) => namedUnits(findSource(sources, source), text)
const [condition, account] = [`0x${'Ab'.repeat(32)}`, `0x${'Cd'.repeat(20)}`]

describe('--part', () => {
  test.each([
    ['polymarket_trades', condition, [condition.toLowerCase()]],
    ['polymarket_trades', `polymarket:${condition}`, [condition.toLowerCase()]],
    ['polymarket_resolutions', condition, [condition.toLowerCase()]],
    ['polymarket_activity', account, [account.toLowerCase()]],
    ['limitless_activity', account, [account.toLowerCase()]],
    ['limitless_trades', 'limitless:btc-above-90k', ['btc-above-90k']],
    ['limitless_resolutions', 'btc-above-90k', ['btc-above-90k']],
    ['kalshi_archive', 'KXBTC-26NOV22', ['KXBTC-26NOV22']],
    ['solana_accounts', '11111111111111111111111111111111', ['11111111111111111111111111111111']],
    ['evm_accounts', account, [account.toLowerCase()]],
    ['polymarket_markets', 'polymarket', []],
    ['kalshi_trades', 'kalshi', []],
  ])('of %s names one unit, or the venue: %s', (source, text, keys) => {
    expect(named(source, text)).toEqual({ keys })
  })

  test('of a source of several parts names one of them', () => {
    const swaps = findSource(sources, 'evm_swaps')
    const [first, second] = ['ethereum', 'base'].map((name) => ({ ...swaps.parts[0], name }))
    if (first === undefined || second === undefined) throw new Error('two parts are missing')
    const both = { ...swaps, parts: [first, second] } as const
    expect(namedUnits(both, 'base')).toEqual({ part: 'base', keys: [] })
    expect(() => namedUnits(both, 'bse')).toThrow('--part bse: unknown part of evm_swaps; expected ethereum, base')
  })

  test.each([
    ['polymarket_trades', '0xabc', /^--part 0xabc: no unit of polymarket_trades; expected a condition id of 0x and/],
    ['polymarket_resolutions', account, /no unit of polymarket_resolutions; expected a condition id/],
    ['polymarket_activity', condition, /no unit of polymarket_activity; expected an address/],
    ['limitless_trades', 'A B', /no unit of limitless_trades; expected a slug/],
    ['kalshi_archive', '-', /no unit of kalshi_archive; expected a ticker/],
    ['solana_accounts', account, /no unit of solana_accounts; expected an address of Solana$/],
    ['evm_accounts', condition, /no unit of evm_accounts; expected an address of EVM chains$/],
    ['polymarket_odds', condition, /polymarket_odds observes a whole list; expected no --part$/],
    ['kalshi_trades', 'KXBTC', /kalshi_trades has no units that can be named; expected no --part$/],
    ['polymarket_push', condition, /polymarket_push has no units that can be named; expected no --part$/],
  ])('of %s is refused: %s', (source, text, message) => {
    expect(() => named(source, text)).toThrow(message)
    expect(() => named(source, text)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})
