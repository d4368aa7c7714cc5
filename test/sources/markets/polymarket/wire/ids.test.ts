import { describe, expect, test } from 'vitest'

import { conditionId } from '#ingest/parse/ids.ts'
import { askedId, marketOf, paramOf } from '#sources/markets/polymarket/wire/ids.ts'

const short = `0x02${'5c'.repeat(30)}`
const padded = `${short}00`
const position = (outcome: string): string => BigInt(`${short}${outcome}`).toString()
const first = `0x${'9'.repeat(62)}00`

describe('the id of a market', () => {
  test('has 64 digits, or 62 of Protocol V2', () => {
    expect(conditionId.parse(first.toUpperCase().replace('0X', '0x'))).toBe(first)
    expect(conditionId.parse(short)).toBe(short)
    for (const wrong of [`${short}0`, short.slice(0, -1), short.slice(2), `${first}00`, ''])
      expect(conditionId.safeParse(wrong).success).toBe(false)
  })

  test('is padded as a parameter where it is one of Protocol V2', () => {
    expect([paramOf(short), paramOf(first)]).toEqual([padded, first])
  })

  test('follows from its token where a row pads it', () => {
    expect(marketOf(padded, position('00'))).toBe(short)
    expect(marketOf(padded, position('01'))).toBe(short)
    expect(marketOf(short, position('01'))).toBe(short)
    // A condition of the first contract that ends with 00 by chance.
    expect(marketOf(first, '12345')).toBe(first)
    expect(marketOf(padded, position('01').slice(1))).toBe(padded)
  })

  test('is the asked one, padded or not', () => {
    const asked = new Set([short, first])
    expect([askedId(padded, asked), askedId(short, asked), askedId(first, asked)]).toEqual([short, short, first])
    expect(askedId(`0x${'1'.repeat(62)}00`, asked)).toBe(`0x${'1'.repeat(62)}00`)
  })
})
