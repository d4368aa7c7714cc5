import { describe, expect, test } from 'vitest'

import { venueIds, venues } from '#registry/venues/index.ts'
import { marketIdPattern, parseMarketId } from '#registry/venues/market_id.ts'
import { sources } from '#sources/index.ts'

const sourceNames = new Set(sources.map(({ name }) => name))

describe.each(venues)('$id', ({ id, words, market, ...venue }) => {
  test('has a name of its own, of one lower-case word, which people write', () => {
    expect(id).toMatch(/^[a-z]+$/)
    expect(venueIds.filter((one) => one === id)).toEqual([id])
    expect(words[0]).toBe(id)
    for (const word of words) {
      expect(word).toBe(word.toLowerCase())
      expect(venues.filter((other) => other.words.includes(word))).toHaveLength(1)
    }
  })

  test('has an example of a market, whose id counts in any case', () => {
    const shown = `${id}:${market.example}`
    expect(parseMarketId(shown)).toBe(shown)
    const other = market.case === 'lower' ? market.example.toUpperCase() : market.example.toLowerCase()
    expect(parseMarketId(`${id}:${other.replace(/^0X/, '0x')}`)).toBe(shown)
    if (market.combo !== undefined) expect(market.combo.prefix.length).toBeLessThan(market.combo.length)
    if (market.bare !== undefined) expect(market.example).toMatch(market.bare)
  })

  test('names sources that exist, and an account of an anonymous venue has none', () => {
    const { accountSource, bookSource, isAnonymous } = venue
    for (const name of [accountSource, bookSource]) if (name !== null) expect(sourceNames).toContain(name)
    expect(isAnonymous && accountSource !== null).toBe(false)
    expect(sources.flatMap(({ parts }) => parts.map(({ name }) => name))).toContain(id)
  })

  test('has whole lower-case system addresses, each with its name', () => {
    for (const [address, label] of Object.entries(venue.systemAddresses)) {
      expect(address).toMatch(/^0x[0-9a-f]{40}$/)
      expect(label).not.toBe('')
    }
  })
})

test('a text that is no id of a market is none', () => {
  for (const text of ['', 'kalshi', 'kalshi:', 'nowhere:KX-1', 'polymarket:0x12', 'Kalshi:KX-1', 'limitless:a b'])
    expect(parseMarketId(text)).toBeNull()
  expect(new RegExp(`^${marketIdPattern}$`).test('kalshi:KX-1')).toBe(true)
})

test('every venue that a source of quotes or fills reads is in the registry', () => {
  const read = sources.filter(({ datasets }) => datasets.some((name) => name === 'quotes' || name === 'fills'))
  const parts = new Set(read.flatMap((source) => source.parts.map(({ name }) => name)))
  expect([...parts].toSorted()).toEqual([...venueIds].toSorted())
})
