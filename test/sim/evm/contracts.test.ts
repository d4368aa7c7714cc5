import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { compiledDigest } from '#sim/evm/contracts/artifacts.ts'
import { rootOf, sqrtPriceX96, v2Out } from '#sim/evm/contracts/price.ts'

const folder = new URL('../../../sim/evm/contracts/solidity/', import.meta.url)

describe('the contracts of the simulated chain', () => {
  test('are compiled from their present sources', () => {
    const names = readdirSync(folder).toSorted()
    const text = names.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('')
    expect(compiledDigest()).toBe(createHash('sha256').update(text).digest('hex'))
  })

  test('are priced by whole roots', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), (value) => {
        const root = rootOf(value)
        expect(root * root <= value && value < (root + 1n) * (root + 1n)).toBe(true)
      }),
    )
    expect(sqrtPriceX96(10n ** 18n, 4n * 10n ** 18n)).toBe(2n << 96n)
  })

  test('keep the product of a pool of V2 when something is swapped', () => {
    const amounts = fc.bigInt({ min: 1_000n, max: 10n ** 30n })
    fc.assert(
      fc.property(amounts, amounts, amounts, (amount, into, out) => {
        const bought = v2Out(amount, into, out)
        expect(bought < out && (into + amount) * (out - bought) >= into * out).toBe(true)
      }),
    )
  })
})
