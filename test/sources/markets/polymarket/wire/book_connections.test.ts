import fc from 'fast-check'
import { expect, test } from 'vitest'

import { assignTokens } from '#sources/markets/polymarket/wire/book_connections.ts'

const limits = { tokens: 4, connections: 3 }
const tokens = fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map(String), { maxLength: 20 })

test('each wanted token has one connection within the limits, as markets open and close', () => {
  fc.assert(
    fc.property(fc.array(tokens, { maxLength: 8 }), (rounds) => {
      let open: (readonly string[])[] = []
      for (const wanted of rounds) {
        const next = assignTokens(open, wanted, limits)
        expect(next.length).toBeLessThanOrEqual(limits.connections)
        for (const list of next) expect(list.length).toBeLessThanOrEqual(limits.tokens)
        const named = next.flat().filter((token) => wanted.includes(token))
        expect(new Set(named).size).toBe(named.length)
        expect(named.length).toBe(Math.min(wanted.length, limits.tokens * limits.connections))
        const before = new Set(open.flat())
        // An open connection is replaced only for a new token.
        for (const [n, list] of open.entries()) {
          expect(next[n] === list || next[n]?.some((token) => !before.has(token))).toBe(true)
        }
        open = next
      }
    }),
  )
})

test('important tokens are spread over the first connections, and new ones open few of them anew', () => {
  const open = assignTokens([], ['1', '2', '3', '4', '5', '6'], limits)
  expect(open).toEqual([
    ['1', '3', '5'],
    ['2', '4', '6'],
  ])
  expect(assignTokens(open, ['2', '3', '4', '5', '6'], limits)).toEqual(open)
  const next = assignTokens(open, ['2', '3', '4', '5', '6', '7', '8'], limits)
  expect(next).toEqual([['3', '5', '7', '8'], open[1]])
  expect(next[1]).toBe(open[1])
})
