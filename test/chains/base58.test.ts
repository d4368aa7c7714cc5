import { getBase58Decoder, getBase58Encoder } from '@solana/kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { bytesOfBase58 } from '#chains/base58.ts'

describe('base58', () => {
  it('is read as the library of Solana reads it', () => {
    const text = fc
      .uint8Array({ maxLength: 80 })
      .chain((bytes) =>
        fc.nat({ max: 5 }).map((zeros) => getBase58Decoder().decode(Uint8Array.of(...new Uint8Array(zeros), ...bytes))),
      )
    fc.assert(
      fc.property(text, (encoded) => {
        expect([...bytesOfBase58(encoded)]).toEqual([...getBase58Encoder().encode(encoded)])
      }),
    )
  })

  it('has no 0, O, I and l', () => {
    for (const letter of '0OIl +') expect(() => bytesOfBase58(`1${letter}2`)).toThrow(`holds ${letter}; expected`)
  })
})
